import { expect } from 'chai'
import chatLog from '../../../plugins/chat-log/index.ts'
import cloudApi from '../../../plugins/cloud-api/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import type { Answer } from '../../support/calls.ts'
import { eventually } from '../../support/eventually.ts'
import { picture } from '../../support/picture.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

type Body = Record<string, unknown>
const UNKNOWN = '3EB0FFFFFFFFFFFFFFFFFF'
const NO_EVENT = `evt_${'a'.repeat(26)}`

/**
 * Messages of a chat with Bob, named by a key that is limited to the chat with Ana and to one group: each is answered as an id
 * that does not exist, and neither Ana nor anybody else gets anything of it.
 */
describe('a message of another chat', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let bob: Phone
  let headers: Record<string, string>
  /** A group that the key has, and one that it has not. */
  let team: string
  let others: string
  /** Ids of what Bob wrote, what he got, and what he wrote to the other group. */
  let received: string
  let sent: string
  let inGroup: string
  let photo: { id: string; event: string }

  before(async () => {
    ;({ world, session, ana } = await openShop({ extra: [cloudApi, chatLog] }))
    bob = await world.phone('Bob')
    const participants = [ana.account.phone, bob.account.phone]
    const group = async (GroupName: string) =>
      (await session.post('/group/create', { GroupName, Participants: participants })).data.JID as string
    team = await group('Team')
    others = await group('Others')
    const shop = session.phone.account.phone
    received = await bob.send(shop, { Text: 'secret of Bob' })
    inGroup = await bob.send(others, { Text: 'secret of the group' })
    const image = await bob.send(shop, { Message: { image: await picture(), caption: 'secret picture' } })
    sent = (await session.post('/send/text', { Phone: bob.account.phone, Body: 'secret for Bob' })).data.Id
    photo = { id: image, event: (await logged(image)).eventId }
    for (const id of [received, sent, inGroup]) await logged(id)
    const body = { Name: 'ana', Scopes: ['read', 'send', 'manage'], Chats: [ana.account.phone, team] }
    headers = { token: (await session.post('/keys', body)).data.Key }
  })
  after(() => world.stop())

  async function logged(id: string) {
    return eventually(async () => {
      const { data } = await session.get('/events?class=Message&limit=500')
      const found = data.Events.find(({ event }: { event: { Info: { ID: string } } }) => event.Info.ID === id)
      if (!found) throw new Error('not logged yet')
      return found
    }, `message ${id} logged`)
  }

  const post = (path: string, body: Body) => world.gateway.post(path, body, headers)
  const cloud = (body: Body): Promise<Answer> => {
    const whole = { messaging_product: 'whatsapp', to: ana.account.phone, ...body }
    return post(`/v23.0/${session.phone.account.phone}/messages`, whole)
  }
  const secrets = () => {
    const { phone, jid, lid } = bob.account
    return [phone, jid.split('@')[0] ?? '', lid.split('@')[0] ?? '', 'secret', 'mediaKey', 'thumbnail']
  }
  /** What Ana's phone shows of the message that was sent. */
  async function shown({ status, error, data }: Answer): Promise<string> {
    expect(status, error).to.equal(200)
    const { message } = await ana.wait(({ id }) => id === data.Id)
    return JSON.stringify(message)
  }
  /** The answer without what names the id that was asked for. */
  const plain = (answer: Answer, id: string) =>
    JSON.stringify({ ...answer, request: '', fbtrace_id: '' })
      .replaceAll(id, '<id>')
      .replace(/"fbtrace_id":"[^"]*"/, '')

  it('is not quoted, with its text, its author or the key of its file', async () => {
    for (const [at, id] of [received, sent, photo.id, inGroup].entries())
      for (const Phone of [ana.account.phone, team]) {
        const ContextInfo = { StanzaId: id, Participant: ana.account.phone }
        const text = await shown(await post('/send/text', { Phone, Body: `reply ${at}`, ContextInfo }))
        for (const secret of secrets()) expect(text, `${at} to ${Phone}`).not.to.include(secret)
      }
  })

  it('is not quoted with the token of the session either, unless its chat is named', async () => {
    const send = (context: Body) =>
      session.post('/send/text', {
        Phone: ana.account.phone,
        Body: 'reply',
        ContextInfo: { StanzaId: received, ...context },
      })
    for (const secret of secrets()) expect(await shown(await send({}))).not.to.include(secret)
    expect(await shown(await send({ Chat: bob.account.phone }))).to.include('secret of Bob')
    const refused = await post('/send/text', {
      Phone: ana.account.phone,
      Body: 'reply',
      ContextInfo: { StanzaId: received, Chat: bob.account.phone },
    })
    expect(refused.status).to.equal(403)
  })

  it('is not quoted by the Cloud API, nor is its file sent on', async () => {
    const before = ana.messages().length
    const { status, messages } = (await cloud({
      text: { body: 'cloud reply' },
      context: { message_id: photo.id },
    })) as unknown as { status: number; messages: { id: string }[] }
    expect(status).to.equal(200)
    const { message } = await ana.wait(({ id }) => id === messages[0]?.id)
    for (const secret of secrets()) expect(JSON.stringify(message)).not.to.include(secret)
    const image = (id: string) => cloud({ type: 'image', image: { id } })
    expect(plain(await image(photo.event), photo.event)).to.equal(plain(await image(NO_EVENT), NO_EVENT))
    expect(ana.messages()).to.have.length(before + 1)
  })

  it('is neither read nor answered with typing', async () => {
    for (const body of [{}, { typing_indicator: { type: 'text' } }]) {
      const read = (message_id: string, to?: string) => cloud({ status: 'read', message_id, to, ...body })
      expect(plain(await read(received, ana.account.phone), received)).to.equal(
        plain(await read(UNKNOWN, ana.account.phone), UNKNOWN),
      )
      expect(plain(await read(received), received)).to.equal(plain(await read(UNKNOWN), UNKNOWN))
    }
    const mark = (Id: string, Chat: string, more = {}) =>
      post('/message/markread', { Id: [Id], Chat, ...more })
    for (const chat of [ana.account.phone, team])
      expect(plain(await mark(received, chat), received)).to.equal(plain(await mark(UNKNOWN, chat), UNKNOWN))
    await mark(received, ana.account.phone, { Sender: ana.account.phone })
    await session.post('/send/text', { Phone: bob.account.phone, Body: 'the last' })
    await bob.wait(({ raw }) => raw.extendedTextMessage?.text === 'the last')
    expect(bob.receipts.filter(({ type }) => type === 'read')).to.deep.equal([])
    expect(bob.presences.map(({ tag }) => tag)).not.to.include('chatstate')
  })

  it('does not count as read in the log of chats', async () => {
    const id = await bob.send(session.phone.account.phone, { Text: 'unread' })
    await logged(id)
    const unread = async (): Promise<number> =>
      (await session.get('/chats')).data.Chats.find(
        ({ Phone, LID }: { Phone: string; LID: string }) =>
          Phone === bob.account.phone || LID === bob.account.lid,
      )?.Unread
    await eventually(async () => expect(await unread()).to.equal(1), 'one is unread')
    await post('/message/markread', { Id: [id], Chat: ana.account.phone, Sender: ana.account.phone })
    expect(await unread()).to.equal(1)
  })

  it('gets no reaction under the name of its author', async () => {
    const react = (Id: string, Phone: string) =>
      post('/message/react', { Phone, Id, Body: '👍', IsFromMe: false })
    expect(plain(await react(inGroup, team), inGroup)).to.equal(plain(await react(UNKNOWN, team), UNKNOWN))
    expect((await react(received, ana.account.phone)).status).to.equal(200)
    const reacted = await ana.wait(({ raw }) => raw.reactionMessage?.key?.id === received)
    const text = JSON.stringify(reacted.message)
    for (const secret of secrets()) expect(text).not.to.include(secret)
    const reaction = (message_id: string) =>
      cloud({ type: 'reaction', reaction: { message_id, emoji: '👍' } })
    for (const id of [received, sent, inGroup])
      expect(plain(await reaction(id), id)).to.equal(plain(await reaction(UNKNOWN), UNKNOWN))
  })

  it('has no state, no history and no time line', async () => {
    for (const id of [received, sent, inGroup]) {
      for (const [path, body] of [
        ['/message/status', (Id: string) => ({ Id })],
        ['/chat/history', (BeforeID: string) => ({ Phone: ana.account.phone, BeforeID })],
        ['/message/delete', (Id: string) => ({ Phone: ana.account.phone, Id })],
        ['/message/edit', (Id: string) => ({ Phone: ana.account.phone, Id, Body: 'x' })],
      ] as const) {
        const answer = await post(path, body(id))
        expect(answer.status, path).to.equal(404)
        expect(plain(answer, id), path).to.equal(plain(await post(path, body(UNKNOWN)), UNKNOWN))
      }
      const timeline = (one: string) => world.gateway.get(`/message/timeline?Id=${one}`, headers)
      expect(plain(await timeline(id), id)).to.equal(plain(await timeline(UNKNOWN), UNKNOWN))
    }
    const file = (id: string) => world.gateway.get(`/v23.0/${id}`, headers)
    expect(plain(await file(photo.event), photo.event)).to.equal(plain(await file(NO_EVENT), NO_EVENT))
  })

  it('of its own chat has all of them', async () => {
    const id = await ana.send(session.phone.account.phone, { Text: 'of Ana' })
    await logged(id)
    const { data } = await post('/message/status', { Id: id })
    expect(data).to.include({ Id: id, Status: 'Delivered', IsFromMe: false })
    expect((await world.gateway.get(`/message/timeline?Id=${id}`, headers)).data).to.include({ Id: id })
    const context = { StanzaId: id }
    const reply = await post('/send/text', { Phone: ana.account.phone, Body: 'quoted', ContextInfo: context })
    expect(await shown(reply)).to.include('of Ana')
    expect((await cloud({ status: 'read', message_id: id, to: undefined })).status).to.equal(200)
    await eventually(
      () => ana.receipts.some((one) => one.id === id && one.type === 'read') || undefined,
      'Ana sees that it was read',
    )
  })
})
