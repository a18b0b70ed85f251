import { expect } from 'chai'
import type { Shape } from '../../../config/build/documents/samples.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { openEventStream } from '../../support/events/event-stream.ts'
import { picture } from '../../support/picture.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'
import { namingOf } from './naming.ts'

const SCOPES = ['read', 'send', 'manage', 'admin'] as const
/** GET routes that change something or hand out more than what was received. */
const NOT_READ = [
  ...['/session/qr', '/session/linking/stream', '/session/passkey', '/session/requests'],
  '/group/invitelink',
]

type Body = Record<string, unknown>

describe('scopes and chats of keys', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let bob: Phone

  before(async () => {
    ;({ world, session, ana } = await openShop())
    bob = await world.phone('Bob')
  })
  after(() => world.stop())

  const routes = () => world.gateway.describe().plugins.flatMap((plugin) => plugin.routes)
  const call = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
    const aborted = new AbortController()
    const response = await fetch(world.gateway.url + path.replace(/:\w+/g, '1'), {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      signal: aborted.signal,
      ...(body ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
    })
    const isJson = response.headers.get('content-type')?.includes('json')
    const error = isJson ? (((await response.json()) as { error?: string }).error ?? '') : ''
    // A stream has no end.
    aborted.abort()
    return { status: response.status, error }
  }

  it('each route takes only a key of its scope, and nothing is sent', async () => {
    const spare = (await world.gateway.post('/session/init', { Name: 'spare' }, admin)).data.Id
    const keys = await Promise.all(
      SCOPES.map(async (scope) => {
        const body = { Name: scope, Scopes: [scope], AllSessions: true }
        return [scope, (await world.gateway.post('/keys', body, admin)).data.Key] as const
      }),
    )
    const before = world.counters()
    let refused = 0
    for (const { method, path, spec } of routes()) {
      if (spec.access === 'public') continue
      for (const [scope, key] of keys) {
        const { status, error } = await call(method, path, {
          authorization: `Bearer ${key}`,
          'x-session': spare,
        })
        const text = `These credentials do not have the scope "${spec.scope}", which ${method} ${path} requires`
        const place = `${method} ${path} with ${scope}`
        if (scope === spec.scope) expect(error, place).not.to.include('scope')
        else expect({ status, error }, place).to.deep.equal({ status: 403, error: text })
        if (scope !== spec.scope) refused += 1
      }
    }
    expect(refused).to.be.greaterThan(400)
    expect(world.counters()['Messages']).to.equal(before['Messages'])
    expect([...ana.messages(), ...bob.messages()]).to.deep.equal([])
    expect((await session.get('/session/status')).data).to.include({ LoggedIn: true })
  })

  it('reading is what GET does, sending what /send and /chat do', () => {
    for (const { method, path, spec } of routes()) {
      if (['public', 'known', 'admin', 'owner'].includes(spec.access ?? '')) continue
      const place = `${method} ${path}`
      if (method === 'GET' && !NOT_READ.includes(path)) expect(spec.scope, place).to.equal('read')
      else if (/^\/(send|chat)\//.test(path)) expect(spec.scope, place).to.equal('send')
      else if (/^\/(session|webhook)\b/.test(path)) expect(spec.scope, place).to.be.oneOf(['manage', 'owner'])
    }
  })

  describe('limited to the chat with Ana', () => {
    let headers: { token: string }

    before(async () => {
      const body = {
        Name: 'ana',
        Scopes: ['read', 'send', 'manage'],
        Chats: [
          `+${ana.account.phone.slice(0, 2)} (${ana.account.phone.slice(2, 4)}) ${ana.account.phone.slice(4)}`,
        ],
      }
      const { data, error } = await session.post('/keys', body)
      expect(error).to.equal(undefined)
      expect(data.Chats).to.deep.equal([ana.account.jid])
      headers = { token: data.Key }
    })

    it('refuses every route that names another chat, or none, or one that it can not tell', async () => {
      const { number, jid } = { number: bob.account.phone, jid: bob.account.jid }
      let named = 0
      for (const { method, path, spec } of routes()) {
        if (['public', 'known', 'admin', 'owner'].includes(spec.access ?? '') || spec.scope === 'owner')
          continue
        const shape = spec.body as Shape | undefined
        for (const value of [number, jid, bob.account.lid]) {
          const body = namingOf(shape, value)
          const place = `${method} ${path} ${JSON.stringify(body)}`
          const query =
            method === 'GET' && body ? `?${new URLSearchParams(body as Record<string, string>)}` : ''
          const answer = await call(
            method,
            path + query,
            headers,
            method === 'GET' ? undefined : (body ?? {}),
          )
          // A WebSocket asks for its upgrade once the caller is allowed to have it; what it may not see is not there.
          if (spec.isFiltered) expect(answer.status, place).to.be.oneOf([200, 404, 426])
          else {
            expect(answer.status, `${place}: ${answer.error}`).to.be.oneOf([400, 403])
            if (answer.status === 403) expect(answer.error).to.match(/^This key (may not|is limited)/)
            if (answer.status === 403 && answer.error.includes('may not address')) named += 1
          }
        }
      }
      expect(named).to.be.greaterThan(150)
      expect(bob.messages()).to.deep.equal([])
    })

    it('sees through every spelling of another address', async () => {
      const { phone, jid, lid } = bob.account
      const own = ana.account.phone
      const text = (fields: Body) => call('POST', '/send/text', headers, { Body: 'x', ...fields })
      const hostile: unknown[] = [
        ...[
          phone,
          `+${phone}`,
          ` ${phone} `,
          Number(phone),
          `${phone.slice(0, 4)}-${phone.slice(4)}`,
          [phone],
        ],
        ...[jid, lid, `${phone}:3@s.whatsapp.net`, `${phone}@c.us`, `${lid.replace('@', ':0@')}`],
        ...[`${own}@g.us`, `${own}@lid`, `${own}@newsletter`, `${own}@broadcast`, 'status@broadcast'],
        ...[`${own}@s.whatsapp.net@g.us`, `${own},${phone}`, `${own}\u200b`, `${own}\u0000`, '@ana', ''],
        ...[[own, phone], { toString: own }, null, true, `０${own.slice(1)}`],
      ]
      for (const Phone of hostile) {
        const { status, error } = await text({ Phone })
        expect(status, `${JSON.stringify(Phone)}: ${error}`).to.be.oneOf([400, 403, 404])
      }
      for (const name of ['phone', 'PHONE', 'Number', 'chat', 'JID', 'jid'])
        expect((await text({ [name]: phone })).status, name).to.equal(403)
      expect((await call('POST', '/group/info', headers, { GroupJID: own })).status).to.equal(403)
      expect((await call('POST', '/user/info', headers, { Phone: [own, phone] })).error).to.include('Phone.1')
      expect((await call('POST', '/status/text', headers, { Text: 'x' })).error).to.include('names none')
      expect(
        (await call('POST', '/status/text', headers, { Text: 'x', StatusJidList: [phone] })).status,
      ).to.equal(403)
      expect(bob.messages()).to.deep.equal([])
      expect(ana.messages()).to.deep.equal([])
    })

    it('writes to its chat under any of its own addresses', async () => {
      const { phone, jid, lid } = ana.account
      for (const Phone of [phone, Number(phone), `+${phone}`, jid, `${phone}:7@c.us`, lid]) {
        const { status, error } = await call('POST', '/send/text', headers, { Phone, Body: String(Phone) })
        expect(status, `${Phone}: ${error}`).to.equal(200)
        await ana.wait(({ message }) => JSON.stringify(message).includes(String(Phone)))
      }
    })

    it('lets nothing out elsewhere than in its chats, although its chat is named', async () => {
      const { phone } = ana.account
      const groups = async () => (await session.get('/group/list')).data
      const before = await groups()
      for (const [path, body] of [
        ['/contact/add', { Phone: phone, FullName: 'Somebody else' }],
        ['/group/create', { GroupName: 'New', Participants: [phone] }],
        ['/webhook', { WebhookURL: 'http://127.0.0.1:9/', Filter: { AllowChats: [phone] } }],
      ] as const) {
        const { status, error } = await call('POST', path, headers, body)
        expect({ status, error }, path).to.deep.include({ status: 403 })
        expect(error, path).to.match(
          /^This key is limited to certain chats, and the effect of the call is not/,
        )
      }
      expect(await groups()).to.deep.equal(before)
      const image = { Phone: phone, Image: await picture() }
      expect(await call('POST', '/send/image', headers, image)).to.include({ status: 200 })
    })

    it('reads the events of its chat only, from the log and from a stream', async () => {
      const shop = session.phone.account.phone
      const stream = openEventStream(`${world.gateway.url}/events/stream?after=0`, headers)
      const hidden = await bob.send(shop, { Text: 'from bob' })
      const shown = await ana.send(shop, { Text: 'from ana' })
      const text = await stream.until((all) => all.includes(shown))
      stream.close()
      const ids = (await session.get('/events?limit=500&class=Message')).data.Events.map(
        ({ event }: { event: { Info: { ID: string } } }) => event.Info.ID,
      )
      expect(ids).to.include.members([hidden, shown])
      const { data } = await world.gateway.get('/events?limit=500', headers)
      const read = JSON.stringify(data.Events)
      expect(read).to.include(shown)
      for (const all of [text, read])
        for (const secret of [hidden, bob.account.phone, bob.account.lid, '"type":"QR"', 'PairSuccess'])
          expect(all).not.to.include(secret)
    })
  })
})
