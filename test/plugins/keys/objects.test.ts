import { expect } from 'chai'
import type { Route } from '../../../kernel/plugin.ts'
import chatLog from '../../../plugins/chat-log/index.ts'
import cloudApi from '../../../plugins/cloud-api/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import schedule from '../../../plugins/schedule/index.ts'
import type { Answer } from '../../support/calls.ts'
import { eventually } from '../../support/eventually.ts'
import { picture } from '../../support/picture.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

type Body = Record<string, unknown>
type Call = (id: string) => readonly [path: string, body?: Body]

const HIDDEN = 'hidden from Ana'

/** Lists and streams of what the key sees, and an upload; these are tested with their plugins. */
const LISTS = [
  ...['GET /events', 'GET /events/history', 'GET /events/stream', 'GET /events/socket'],
  ...['GET /chats', 'GET /chats/search', 'GET /schedule', 'GET /status/received'],
  ...['POST /webhook/preview/events', 'POST /v:version/:id/media'],
]

describe('an object of another chat, for a key that is limited to a chat', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let bob: Phone
  let headers: Record<string, string>
  let routes: Route[]
  const ids: Record<'received' | 'sent' | 'poll' | 'status' | 'scheduled' | 'photo' | 'event', string> = {
    ...{ received: '', sent: '', poll: '', status: '', scheduled: '', photo: '', event: '' },
  }

  before(async () => {
    ;({ world, session, ana } = await openShop({ extra: [cloudApi, chatLog, schedule] }))
    bob = await world.phone('Bob')
    const Phone = bob.account.phone
    const shop = session.phone.account.phone
    const sent = async (path: string, body: Body): Promise<string> => {
      const { status, error, data } = await session.post(path, body)
      expect(status, error).to.be.oneOf([200, 202])
      return data.Id
    }
    ids.received = await bob.send(shop, { Text: HIDDEN })
    ids.photo = await bob.send(shop, { Message: { image: await picture(), caption: HIDDEN } })
    ids.sent = await sent('/send/text', { Phone, Body: HIDDEN })
    ids.poll = await sent('/send/poll', { Phone, Question: HIDDEN, MaxAnswer: 1, Options: ['a', 'b'] })
    ids.status = await sent('/status/text', { Text: HIDDEN, StatusJidList: [Phone] })
    const SendAt = new Date(Date.now() + 3_600_000).toISOString()
    ids.scheduled = await sent('/send/text', { Phone, Body: HIDDEN, SendAt })
    for (const id of [ids.received, ids.sent, ids.poll, ids.photo]) ids.event = await logged(id)
    await eventually(
      async () => (await session.get(`/status/posted/${ids.status}`)).success,
      'the post is shown to the session',
    )
    const body = { Name: 'ana', Scopes: ['read', 'send', 'manage'], Chats: [ana.account.phone] }
    headers = { token: (await session.post('/keys', body)).data.Key }
    routes = world.gateway.describe().plugins.flatMap((plugin) => plugin.routes)
  })
  after(() => world.stop())

  /** The id of its event. */
  function logged(id: string): Promise<string> {
    return eventually(async () => {
      const { data } = await session.get('/events?class=Message&limit=500')
      return data.Events.find(({ event }: { event: { Info: { ID: string } } }) => event.Info.ID === id)
        ?.eventId
    }, `message ${id} logged`)
  }
  async function call(method: string, path: string, body?: Body): Promise<Answer> {
    return world.gateway.call(method, path, { headers, ...(body ? { body } : {}) })
  }
  const plain = (answer: Answer, id: string): string =>
    JSON.stringify({ ...answer, request: '', fbtrace_id: '' })
      .replaceAll(id, '<id>')
      .replace(/"fbtrace_id":"[^"]*"/, '')
  const nameOf = ({ method, path }: Route): string => `${method} ${path}`
  /** Routes that a key limited to chats could call at all. */
  const open = (): Route[] =>
    routes.filter(({ spec }) => !['public', 'admin'].includes(spec.access ?? 'login'))

  const byId: Record<string, Call> = {
    'GET /send/:id': (id) => [`/send/${id}`],
    'GET /polls/:id': (id) => [`/polls/${id}`],
    'POST /message/status': (Id) => ['/message/status', { Id }],
    'GET /message/timeline': (id) => [`/message/timeline?Id=${id}`],
    'GET /status/posted/:id': (id) => [`/status/posted/${id}`],
    'DELETE /schedule/:id': (id) => [`/schedule/${id}`],
    'POST /webhook/preview': (Id) => ['/webhook/preview', { Id }],
    'GET /v:version/:id': (id) => [`/v23.0/${id}`],
    'DELETE /v:version/:id': (id) => [`/v23.0/${id}`],
    'GET /v:version/:id/content': (id) => [`/v23.0/${id}/content`],
  }

  it('is answered by every route that looks one up like an id that does not exist', async () => {
    const filtered = open().filter(({ spec, path }) => spec.isFiltered && path !== '/chats/:jid/messages')
    expect(filtered.map(nameOf).sort()).to.deep.equal([...Object.keys(byId), ...LISTS].sort())
    for (const [name, path] of Object.entries(byId)) {
      const [method = ''] = name.split(' ')
      for (const [kind, id] of Object.entries(ids)) {
        const unknown = id.replace(/.{4}$/, '0000')
        const answer = await call(method, ...path(id))
        expect(answer.status, `${name} of ${kind}`).to.be.within(400, 499)
        expect(plain(answer, id), `${name} of ${kind}`).to.equal(
          plain(await call(method, ...path(unknown)), unknown),
        )
      }
    }
    const { data } = await session.get('/schedule')
    expect(data.Scheduled.map(({ Id }: { Id: string }) => Id)).to.deep.equal([ids.scheduled])
  })

  it('that was posted for its chat and for others shows only what concerns the chat', async () => {
    const both = [ana.account.phone, bob.account.phone]
    const posted = await session.post('/status/text', { Text: 'for both', StatusJidList: both })
    const data = await eventually(
      async () => (await call('GET', `/status/posted/${posted.data.Id}`)).data,
      'the post for the key',
    )
    expect(data).to.include({ Text: 'for both', Recipients: 1 })
    expect(data.Audience).to.deep.equal([ana.account.jid])
  })

  it('is in no list', async () => {
    const { JID, LID } = { JID: bob.account.jid, LID: bob.account.lid }
    for (const chat of [JID, LID, bob.account.phone])
      expect(await call('GET', `/chats/${chat}/messages`)).to.include({ status: 404 })
    for (const [method, path, body] of [
      ['GET', '/events'],
      ['GET', '/events?class=Message&limit=500'],
      ['GET', '/chats'],
      ['GET', `/chats/search?text=hidden`],
      ['GET', '/schedule'],
      ['GET', '/status/received'],
      ['POST', '/webhook/preview/events', {}],
    ] as const) {
      const answer = await call(method, path, body)
      expect(answer.status, path).to.equal(200)
      for (const secret of [HIDDEN, bob.account.phone, LID])
        expect(JSON.stringify(answer), path).not.to.include(secret)
    }
  })

  it('can not be asked for by any other route with an id in its path', async () => {
    const others = open().filter(({ spec, path }) => !spec.isFiltered && path.includes('/:'))
    expect(others.map(nameOf)).to.include('GET /session/settings/:plugin')
    for (const route of others)
      for (const id of Object.values(ids)) {
        const path = route.path.replace(':version', '23.0').replaceAll(/:\w+/g, id)
        const answer = await call(route.method, path, route.method === 'GET' ? undefined : {})
        expect(answer.status, `${nameOf(route)} ${answer.error}`).to.be.within(400, 499)
        expect(JSON.stringify(answer)).not.to.include(HIDDEN)
      }
  })

  it('is not reached by its id where the body names the chat of the key', async () => {
    const named = open().filter(({ spec, method }) => {
      const fields =
        (spec.body as { properties?: Record<string, { format?: string }> } | undefined)?.properties ?? {}
      return method !== 'GET' && !spec.isFiltered && fields['Id']?.format === 'id' && spec.example
    })
    expect(named.map(nameOf)).to.include.members(['POST /message/star', 'POST /message/forward'])
    for (const route of named.filter(({ path }) => /^\/(message|chat|status|polls|webhook)\//.test(path)))
      for (const [kind, id] of Object.entries(ids)) {
        const body = (Id: string): Body => {
          const example = route.spec.example as Body
          const chats = Object.keys(example).filter((name) => /^(Phone|Chat|Group|JID|From)$/.test(name))
          const given = Object.fromEntries(chats.map((name) => [name, ana.account.phone]))
          return { ...example, ...given, Id: Array.isArray(example['Id']) ? [Id] : Id }
        }
        const unknown = id.replace(/.{4}$/, '0000')
        const answer = await call(route.method, route.path, body(id))
        const other = await call(route.method, route.path, body(unknown))
        const where = `${nameOf(route)} of ${kind}: ${answer.error}`
        expect([answer.status, answer.errorCode], where).to.deep.equal([other.status, other.errorCode])
        expect(JSON.stringify(answer), where).not.to.include(HIDDEN)
      }
  })
})
