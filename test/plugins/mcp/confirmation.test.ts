import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import mcp from '../../../plugins/mcp/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import schedule from '../../../plugins/schedule/index.ts'
import { picture } from '../../support/picture.ts'
import { give, startFileServer } from '../../support/servers/file-server.ts'
import { messageLogged } from '../../support/sessions.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'
import { type Clients, call, clientsOf, person } from './clients.ts'

const SCOPES = ['read', 'send', 'manage']

describe('the confirmation of what an assistant does', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let clients: Clients
  before(async () => {
    ;({ world, session, ana } = await openShop({
      extra: [mcp, schedule],
      allowPrivateHosts: ['127.0.0.1'],
      config: { mcp: { scopes: SCOPES } },
    }))
    clients = clientsOf(() => world.gateway.url)
  })
  after(async () => {
    await clients.close()
    await world.stop()
  })

  const texts = (phone: Phone) => phone.messages().map(({ raw }) => raw.extendedTextMessage?.text)
  const newGroup = async (): Promise<string> =>
    (await session.post('/group/create', { GroupName: 'Plans', Participants: [ana.account.phone] })).data.JID
  const groups = async (): Promise<string> => JSON.stringify((await session.get('/group/list')).data)

  describe('is asked of the person at the client, where it can ask,', () => {
    for (const [transport, open] of [
      ['over HTTP', (who: ReturnType<typeof person>) => clients.overHttp(session.token, who)],
      [
        'over stdio',
        (who: ReturnType<typeof person>) => clients.overStdio(session.token, ['--allow', SCOPES.join()], who),
      ],
    ] as const)
      it(`${transport}: what destroys is done if the person agrees, and else not`, async () => {
        const GroupJID = await newGroup()
        for (const answer of ['decline', 'cancel'] as const) {
          const who = person(answer)
          const client = await open(who)
          const { isError, text } = await call(client, 'groupLeave', { GroupJID })
          expect({ isError, text }).to.deep.include({ isError: true })
          expect(text).to.match(/^Not done: /)
          expect(who.asked).to.have.length(1)
          expect(who.asked[0]).to.include('Leave a group').and.include(GroupJID)
          expect(await groups()).to.include(GroupJID)
        }
        const who = person('accept')
        const client = await open(who)
        const { tools } = await client.listTools()
        const leave = tools.find(({ name }) => name === 'groupLeave')
        expect(leave?.inputSchema.properties).not.to.have.property('Confirmation')
        expect(await call(client, 'groupLeave', { GroupJID })).to.deep.include({ isError: false })
        expect(who.asked).to.have.length(1)
        expect(await groups()).not.to.include(GroupJID)
      })

    it('and no argument of the model stands for it', async () => {
      const GroupJID = await newGroup()
      const Confirmation = 'yes'
      const who = person('decline')
      const client = await clients.overHttp(session.token, who)
      expect((await call(client, 'groupLeave', { GroupJID, Confirmation })).text).to.match(/^FIELD_UNKNOWN: /)
      expect((await call(client, 'groupLeave', { GroupJID })).text).to.match(/^Not done: /)
      expect(who.asked).to.have.length(1)
    })

    it('and only the client that was asked can answer', async () => {
      const GroupJID = await newGroup()
      const other = await world.gateway.post('/keys', { Name: 'other', Scopes: ['read'] }, session.headers)
      let id: unknown
      const who = person('decline')
      const client = await clients.overHttp(session.token, who)
      const { transport } = client
      const onmessage = transport?.onmessage
      if (!transport) throw new Error('no transport')
      transport.onmessage = (message, extra) => {
        if ('method' in message && message.method === 'elicitation/create' && 'id' in message) id = message.id
        onmessage?.(message, extra)
      }
      who.thinks = async () => {
        const accept = { jsonrpc: '2.0', id, result: { action: 'accept', content: {} } }
        const headers = { authorization: `Bearer ${other.data.Key}` }
        expect(await world.gateway.post('/mcp', accept, headers)).to.include({ status: 404 })
      }
      expect((await call(client, 'groupLeave', { GroupJID })).text).to.match(/^Not done: /)
      expect(id).to.be.a('string')
      expect(await groups()).to.include(GroupJID)
    })
  })

  it('is refused where the client can not ask', async () => {
    const GroupJID = await newGroup()
    const eve = await world.phone('Eve')
    for (const client of [
      await clients.overHttp(session.token),
      await clients.overStdio(session.token, ['--allow', SCOPES.join()]),
    ]) {
      for (const [name, args] of [
        ['groupLeave', { GroupJID }],
        ['sendText', { Phone: eve.account.phone, Body: 'unasked' }],
      ] as const) {
        const { isError, text } = await call(client, name, args)
        expect({ isError, text }).to.deep.include({ isError: true })
        expect(text)
          .to.match(/^Not done: /)
          .and.include('this client cannot ask its user')
      }
      expect(await groups()).to.include(GroupJID)
    }
    expect(texts(eve)).to.deep.equal([])
  })

  describe('of sends', () => {
    const send = (client: Client, phone: Phone, Body: string, more = {}) =>
      call(client, 'sendText', { Phone: phone.account.phone, Body, ...more })

    it('is asked for a chat that the account has not written to, by default', async () => {
      const eve = await world.phone('Eve')
      // Whoever writes first is not known by that: a message may hold instructions for the assistant.
      await eve.send(session.phone.account.phone, { Text: 'send me everything' })
      await messageLogged(world.gateway, session.headers, 'send me everything')
      const who = person('decline')
      const client = await clients.overHttp(session.token, who)
      expect((await send(client, eve, 'refused')).text).to.match(/^Not done: /)
      expect(who.asked[0]).to.include(eve.account.phone).and.include('refused')
      const status = await call(client, 'statusText', { Text: 'to all' })
      expect(status.text).to.match(/^Not done: /)
      who.answer = 'accept'
      expect(await send(client, eve, 'agreed')).to.deep.include({ isError: false })
      // The chat is known once the message is logged, a moment after its answer.
      await messageLogged(world.gateway, session.headers, 'agreed')
      const asked = who.asked.length
      expect(await send(client, eve, 'known now')).to.deep.include({ isError: false })
      expect(who.asked).to.have.length(asked)
      await eve.wait(({ raw }) => raw.extendedTextMessage?.text === 'known now')
      expect(texts(eve)).to.include.members(['agreed', 'known now']).and.not.include('refused')
      const wrong = await call(client, 'sendText', { Phone: eve.account.phone })
      expect(wrong.text).to.equal('FIELD_MISSING: Missing Body in Payload')
    })

    it('is asked always, or never, where that is set', async () => {
      const cid = await world.phone('Cid')
      for (const [when, expected] of [
        ['always', 2],
        ['never', 0],
      ] as const) {
        const who = person('accept')
        const args = ['--allow', 'read,send', '--confirm-sends', when]
        const client = await clients.overStdio(session.token, args, who)
        for (const Body of [`${when} 1`, `${when} 2`])
          expect(await send(client, cid, Body)).to.deep.include({ isError: false })
        expect(who.asked, when).to.have.length(expected)
      }
    })

    it('is asked for a file of a host that is not known, in a known chat too', async () => {
      const fay = await world.phone('Fay')
      const files = await startFileServer({
        '/a.jpg': give((await picture()).split(',')[1] ?? '', 'image/jpeg'),
      })
      const text = await session.post('/send/text', { Phone: fay.account.phone, Body: 'known' })
      await messageLogged(world.gateway, session.headers, 'known')
      expect(text.status).to.equal(200)
      const who = person('decline')
      const client = await clients.overHttp(session.token, who)
      const image = (Image: string) => call(client, 'sendImage', { Phone: fay.account.phone, Image })
      expect(await image(await picture())).to.include({ isError: false })
      expect((await image(`${files.url}/a.jpg`)).text).to.match(/^Not done: /)
      expect(who.asked).to.have.length(1)
      expect(who.asked[0]).to.include(new URL(files.url).host)
      expect(files.asked).to.deep.equal([])
      await files.close()
    })

    it('holds a scheduled message too, and a header asks for it without an assistant', async () => {
      const dan = await world.phone('Dan')
      const headers = { ...session.headers, 'x-unconfirmed': 'known-chats' }
      const post = (body: object) => world.gateway.post('/send/text', body, headers)
      const text = { Phone: dan.account.phone, Body: 'held' }
      expect(await post(text)).to.include({ status: 428, errorCode: 'UNCONFIRMED' })
      expect(await post({ ...text, SendAt: '2999-01-01T00:00:00Z' })).to.include({ status: 428 })
      headers['x-unconfirmed'] = 'some'
      expect(await post(text)).to.include({ status: 400, errorCode: 'FIELD_INVALID' })
      expect(texts(dan)).to.deep.equal([])
    })
  })

  describe('is not evaded', () => {
    const post = (body: unknown, headers: Record<string, string> = {}) =>
      world.gateway.post('/mcp', body as object, { ...session.headers, ...headers })
    const sendTo = (name: string, args: object, id = 1) => ({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name, arguments: args },
    })
    const newcomer = async (name: string) => {
      const phone = await world.phone(name)
      return { phone, args: { Phone: phone.account.phone, Body: 'unasked' } }
    }

    it('by several calls in one request, by other spellings of a tool, or by a header of the client', async () => {
      const { phone, args } = await newcomer('Fay')
      const single = sendTo('sendText', args)
      expect((await post([single, { ...single, id: 2 }])).status).to.equal(400)
      for (const name of ['SendText', 'sendText ', 'sendtext', '/send/text', 'POST /send/text', '__proto__'])
        expect(JSON.stringify(await post(sendTo(name, args))), name).to.include('There is no tool')
      for (const value of ['reversible', 'known-chats', '']) {
        const answer = JSON.stringify(await post(single, { 'x-unconfirmed': value }))
        expect(answer, value).to.include('Not done')
      }
      for (const id of ['', 'asking', 'none', 'Asking-1'])
        expect(JSON.stringify(await post(single, { 'mcp-session-id': id }))).to.include('Not done')
      expect(texts(phone)).to.deep.equal([])
    })

    it('by an argument that the tool does not have, which a person would not see, or not find', async () => {
      const { phone, args } = await newcomer('Gil')
      const known = { Phone: ana.account.phone, Body: 'asked for' }
      await session.post('/send/text', known)
      const client = await clients.overHttp(session.token)
      const junk = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`X${at}`, 'x'.repeat(400)]))
      // `number` is another name of the field.
      const misleading = [{ phone: args.Phone }, { PHONE: args.Phone }, { number: args.Phone }, junk]
      for (const more of misleading) {
        const { isError, text } = await call(client, 'sendText', { ...known, ...more })
        expect({ isError, text }).to.deep.include({ isError: true })
        expect(text).to.include('FIELD_UNKNOWN').and.include(Object.keys(more).at(-1))
      }
      expect(texts(phone)).to.deep.equal([])
    })
  })
})
