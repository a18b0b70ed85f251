import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import chatLog from '../../../plugins/chat-log/index.ts'
import cloudApi from '../../../plugins/cloud-api/index.ts'
import mcp from '../../../plugins/mcp/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { openRelay } from '../link-page/relay.ts'
import { type Clients, call, clientsOf } from './clients.ts'

/** The official client on both transports. */
describe('tools for assistants (MCP)', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let bea: Phone
  let clients: Clients
  before(async () => {
    // Its routes in the dialect of Graph, one of which takes forms alone, can be no tools.
    const extra = [mcp, cloudApi, chatLog]
    const config = { mcp: { scopes: ['read', 'send', 'manage'], confirmSends: 'never' } }
    world = await startWorld({ extra, config })
    clients = clientsOf(() => world.gateway.url)
    session = await world.linked(await world.phone('Shop'))
    ana = await world.phone('Ana')
    bea = await world.phone('Bea')
  })
  after(async () => {
    await clients.close()
    await world.stop()
  })

  const overHttp = (token: string) => clients.overHttp(token)
  const overStdio = (token: string, ...args: string[]) => clients.overStdio(token, args)
  const namesOf = async (client: Client): Promise<string[]> =>
    (await client.listTools()).tools.map(({ name }) => name)
  const newKey = async (body: Record<string, unknown>): Promise<string> => {
    const { data } = await world.gateway.post('/keys', { Name: 'assistant', ...body }, admin)
    return String(data.Key)
  }

  it('are the routes of a session, with their schemas and what they do', async () => {
    const { tools } = await (await overHttp(session.token)).listTools()
    const text = tools.find(({ name }) => name === 'sendText')
    expect(text?.inputSchema.required).to.deep.equal(['Phone', 'Body'])
    expect(text?.annotations).to.include({ readOnlyHint: false, destructiveHint: false })
    expect(tools.find(({ name }) => name === 'getSessionStatus')?.annotations).to.include({
      readOnlyHint: true,
    })
    expect(JSON.stringify(tools)).not.to.include('$ref')
    const names = tools.map(({ name }) => name)
    expect(names).to.include.members(['groupLeave', 'userCheck'])
    expect(names.filter((name) => /keys|token|openapi|mcp|server|version/i.test(name))).to.deep.equal([])
  })

  it('send a message that the other phone receives', async () => {
    const client = await overHttp(session.token)
    const sent = await call(client, 'sendText', { Phone: ana.account.phone, Body: 'from an assistant' })
    expect(sent.isError, sent.text).to.equal(false)
    const { Id } = JSON.parse(sent.text) as { Id: string }
    const received = await ana.wait(({ raw }) => raw.extendedTextMessage?.text === 'from an assistant')
    expect(received.id).to.equal(Id)
  })

  it('show a message as it was edited', async () => {
    const client = await overHttp(session.token)
    const own = session.phone.account.phone
    const id = await ana.send(own, { Text: 'helo' })
    await ana.act({ Action: 'edit', Chat: own, Id: id, Text: 'hello' })
    const shown = await eventually(async () => {
      const { isError, text } = await call(client, 'getChatsByJidMessages', { jid: ana.account.phone })
      if (isError) return undefined
      const { Messages } = JSON.parse(text) as { Messages: { Message: { id: string; text: string } }[] }
      return Messages.find(({ Message }) => Message.id === id && Message.text === 'hello')
    }, 'the edited message')
    expect(shown.Message).to.include({ isEdited: true })
  })

  it('answer with the error of the route, which names the field', async () => {
    const client = await overHttp(session.token)
    expect(await call(client, 'sendText', { Phone: ana.account.phone })).to.deep.equal({
      isError: true,
      text: 'FIELD_MISSING: Missing Body in Payload',
    })
  })

  it('refuse an argument that they do not have, whatever their route does, with the known ones', async () => {
    const client = await overHttp(session.token)
    const textOf = async (tool: string, args: Record<string, unknown>) =>
      (await call(client, tool, args)).text
    const known = { Phone: ana.account.phone, Body: 'x' }
    expect(await textOf('sendText', { ...known, Delay: 5 })).to.match(
      /^FIELD_UNKNOWN: Unknown field Delay in Payload; known: (\w+, )*Body,/,
    )
    expect(await textOf('getChats', { since: '2026-01-01' })).to.match(
      /^FIELD_UNKNOWN: Unknown field since in Payload; known: .*limit/,
    )
    expect(await textOf('getSessionStatus', { verbose: true })).to.equal(
      'FIELD_UNKNOWN: Unknown field verbose in Payload; known: none',
    )
  })

  it('have no more rights than the key, down to its chats', async () => {
    const { data } = await session.get('/session/status')
    const key = await newKey({
      Scopes: ['read', 'send'],
      Sessions: [data.Id ?? data.Name],
      Chats: [ana.account.phone],
    })
    const client = await overHttp(key)
    expect((await call(client, 'sendText', { Phone: ana.account.phone, Body: 'allowed' })).isError).to.equal(
      false,
    )
    const refused = await call(client, 'sendText', { Phone: bea.account.phone, Body: 'not allowed' })
    expect(refused.text).to.match(/^CHAT_|^KEY_/)
    const out = await call(client, 'groupCreate', { Name: 'No', Participants: [ana.account.phone] })
    expect(out.text).to.match(/^SCOPE_MISSING/)
    expect(bea.messages()).to.deep.equal([])
  })

  it('are refused without valid credentials, and with a token in the address', async () => {
    await expect401(overHttp('wrong'))
    const answer = await world.gateway.call('POST', `/mcp?token=${session.token}`, {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    })
    expect(answer).to.include({ status: 400, errorCode: 'FIELD_INVALID' })
  })

  it('only read by default, also over stdio', async () => {
    const client = await overStdio(session.token)
    const names = await namesOf(client)
    expect(names).to.include('getSessionStatus').and.not.to.include('sendText')
    const status = await call(client, 'getSessionStatus')
    expect(JSON.parse(status.text)).to.include({ LoggedIn: true })
    const refused = await call(client, 'sendText', { Phone: ana.account.phone, Body: 'no' })
    expect(refused.text).to.include('There is no tool sendText')
  })

  it('are those that were chosen, over stdio', async () => {
    const client = await overStdio(
      session.token,
      ...['--allow', 'read,send', '--tool', 'sendText', '--confirm-sends', 'never'],
    )
    expect(await namesOf(client)).to.deep.equal(['sendText'])
    expect((await call(client, 'sendText', { Phone: ana.account.phone, Body: 'by stdio' })).isError).to.equal(
      false,
    )
    await ana.wait(({ raw }) => raw.extendedTextMessage?.text === 'by stdio')
  })

  it('say over stdio that the gateway does not answer, and work again when it does', async () => {
    const relay = await openRelay(Number(new URL(world.gateway.url).port))
    const url = `http://127.0.0.1:${relay.port}`
    const client = await overStdio(session.token, '--url', url)
    expect(await namesOf(client)).to.include('getSessionStatus')
    const words = `wamux at ${url} does not answer`
    relay.cut()
    expect(await namesOf(client).catch(String)).to.include(words)
    expect(await call(client, 'getSessionStatus'))
      .to.include({ isError: true })
      .and.have.property('text')
      .that.includes(words)
    relay.restore()
    expect((await call(client, 'getSessionStatus')).isError).to.equal(false)
    relay.close()
  })
})

async function expect401(opened: Promise<unknown>): Promise<void> {
  const failed = await opened.then(
    () => 'opened',
    (error: unknown) => String(error),
  )
  expect(failed).to.include('401')
}
