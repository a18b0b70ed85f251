import { expect } from 'chai'
import chatLog from '../../../plugins/chat-log/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import { createProbe } from '../../support/probe.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'

describe('the time in which a message may be edited', () => {
  const probe = createProbe()
  let world: World
  let session: LinkedSession
  let ana: Phone
  before(async () => {
    ;({ world, session, ana } = await openShop({ extra: [chatLog, probe.plugin] }))
  })
  after(() => world.stop())

  const own = () => session.phone.account.phone
  const advance = async (Advance: string) => {
    const { status, error } = await world.gateway.post('/sandbox/clock', { Advance }, admin)
    expect(status, error).to.equal(200)
  }
  const logged = async (id: string) =>
    (await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === id)).body['message']
  const written = async (action: object): Promise<string> => {
    const { Id } = await ana.act({ Action: 'send', Chat: own(), ...action })
    await logged(String(Id))
    return String(Id)
  }
  const edited = (Id: string, Text: string, Action = 'edit') => written({ Action, Id, Text })
  const said = async (Text: string): Promise<string> => {
    const id = await ana.send(own(), { Text })
    await logged(id)
    return id
  }
  /** The first line on the phone of the account, and the text in the chat of the gateway. */
  const texts = async (id: string): Promise<unknown[]> => {
    const last = await said('later')
    await session.phone.wait((message) => message.id === last)
    const { data } = await world.gateway.get(`/sandbox/phones/${own()}/chats/${ana.account.lid}`, admin)
    const onPhone = data.Messages.find(({ ID }: { ID: string }) => ID === id)
    const { Messages } = await eventually(async () => {
      const page = (await session.get(`/chats/${ana.account.phone}/messages`)).data
      return page?.Messages[0]?.Message.id === last && page
    }, 'the chat is up to date')
    const { Message } = Messages.find((one: { Message: { id: string } }) => one.Message.id === id)
    return [onPhone.Text.split('\n')[0], Message.text]
  }

  for (const fault of ['', 'legacyEdits'])
    it(`is 20 minutes: a later edit changes nothing (${fault || 'sealed'})`, async () => {
      if (fault) world.fault({ Fault: fault })
      const id = await said('first')
      await advance('19 minutes')
      await edited(id, 'second')
      expect(await texts(id)).to.deep.equal(['second', 'second'])
      await advance('1 minute')
      const late = await edited(id, 'third')
      expect(await texts(id)).to.deep.equal(['second', 'second'])
      // What it was is not kept from those who want to know.
      expect(await logged(late)).to.include({ type: 'edit', targetId: id, text: 'third' })
      world.fault({ Fault: 'clear' })
    })

  it('has no end for polls', async () => {
    const id = await written({ Action: 'poll', Text: 'When?', Data: { Options: ['now', 'later'] } })
    await advance('1 hour')
    await edited(id, 'When, then?', 'editPoll')
    expect(await texts(id)).to.deep.equal(['When, then?', 'When, then?'])
  })

  it('is that of the gateway, which refuses a later edit and sends nothing', async () => {
    const Phone = ana.account.phone
    const { Id } = (await session.post('/send/text', { Phone, Body: 'first' })).data
    await advance('19 minutes')
    expect(await session.post('/message/edit', { Phone, Id, Body: 'second' })).to.include({ status: 200 })
    await ana.wait(({ raw }) => raw.protocolMessage?.key?.id === Id)
    await advance('1 minute')
    const before = world.counters()['messages']
    const { status, errorCode, error } = await session.post('/message/edit', { Phone, Id, Body: 'third' })
    expect({ status, errorCode }).to.deep.equal({ status: 400, errorCode: 'FIELD_INVALID' })
    expect(error).to.equal('Invalid Id: is more than 20 minutes old; apps ignore an edit of it')
    expect(world.counters()['messages']).to.equal(before)
  })
})
