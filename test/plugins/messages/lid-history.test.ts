import { expect } from 'chai'
import chatLog from '../../../plugins/chat-log/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import { createProbe } from '../../support/probe.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

interface Conversation {
  ID: string
  name?: string
  pnJID?: string
  username?: string
}

describe('people whom the history names by LID alone', () => {
  const probe = createProbe()
  let world: World
  let session: LinkedSession
  /** Hides her number. */
  let ana: Phone
  /** Has only been written to. */
  let bob: Phone
  before(async () => {
    world = await startWorld({ extra: [chatLog, probe.plugin] })
    const phone = await world.phone('Shop')
    ana = await world.phone('Ana', { username: 'ana.lima', hidesNumber: true })
    bob = await world.phone('Bob')
    const id = await ana.send(phone.account.phone, { Text: 'before' })
    await phone.wait((message) => message.id === id)
    await phone.send(bob.account.phone, { Text: 'to Bob' })
    session = await world.linked(phone)
    await probe.event('HistorySync', ({ Data }) => JSON.stringify(Data).includes(id))
  })
  after(() => world.stop())

  const conversations = (): Conversation[] =>
    probe
      .events('HistorySync')
      .flatMap(
        ({ body }) => (body['event'] as { Data: { conversations: Conversation[] } }).Data.conversations,
      )
  const contacts = async () => (await session.get('/user/contacts')).data as Record<string, object>
  const chats = async () => (await session.get('/chats')).data.Chats as { LID: string; Phone: string }[]

  it('have no name made of digits, but the username (whatsapp/36)', async () => {
    const of = conversations().filter(({ ID }) => ID === ana.account.lid)
    expect(of.length).to.be.greaterThan(0)
    for (const one of of) {
      expect(one).to.not.have.any.keys('name', 'pnJID')
      expect(one).to.include({ username: 'ana.lima' })
    }
    await eventually(async () => (await contacts())[ana.account.lid], 'a contact')
    expect((await contacts())[ana.account.lid]).to.include({ Username: 'ana.lima' })
    expect(JSON.stringify(await contacts())).to.not.include(ana.account.phone)
  })

  it('are one chat and one contact with their number once it is known (whatsapp/36)', async () => {
    expect(conversations().filter(({ ID }) => ID === bob.account.lid)[0]).to.not.have.property('pnJID')
    await session.post('/send/text', { Phone: bob.account.lid, Body: 'by LID' })
    await eventually(async () => (await chats()).length > 0, 'a chat')
    const id = await bob.send(session.phone.account.phone, { Text: 'me' })
    await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === id)
    await eventually(async () => (await contacts())[bob.account.jid], 'a contact with a number')
    expect(await contacts()).to.not.have.property(bob.account.lid)
    const of = (await chats()).filter(({ LID }) => LID === bob.account.lid)
    expect(of).to.have.length(1)
    expect(of[0]).to.include({ Phone: bob.account.phone })
  })
})
