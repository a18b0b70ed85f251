import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { createProbe } from '../../support/probe.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

interface Data {
  requestID: string
  conversations: { messages: { message: { key: { ID: string }; messageTimestamp: string } }[] }[]
}

describe('history on demand', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  const probe = createProbe()
  /** Ids of the messages from before the link, oldest first. */
  const old: string[] = []
  before(async () => {
    world = await startWorld({ extra: [probe.plugin], config: { baileys: { ackTimeoutMs: 2000 } } })
    const phone = await world.phone('Shop')
    ana = await world.phone('Ana')
    const bea = await world.phone('Bea')
    for (let i = 0; i < 6; i += 1) old.push(await ana.send(phone.account.phone, { Text: `old ${i}` }))
    await bea.send(phone.account.phone, { Text: 'of another chat' })
    await phone.wait(({ raw }) => raw.conversation === 'of another chat')
    session = await world.linked(phone)
  })
  after(() => world.stop())

  const request = (body: object) =>
    session.post('/chat/history', { Phone: ana.account.phone, Count: 2, ...body })

  async function answerTo(id: string): Promise<{ key: { ID: string }; messageTimestamp: string }[]> {
    const { body } = await probe.event('HistorySync', ({ Data }) => (Data as Data).requestID === id)
    const { conversations } = (body['event'] as { Data: Data }).Data
    return conversations.flatMap(({ messages }) => messages.map(({ message }) => message))
  }
  const idsOf = async (id: string) => (await answerTo(id)).map(({ key }) => key.ID)

  shows(
    'POST /chat/history',
    'delivers the messages before a stored one, then page by page those before the last answer',
    async () => {
      const live = await ana.send(session.phone.account.phone, { Text: 'live' })
      await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === live)
      const { data, error } = await request({ BeforeID: live })
      expect(data, error).to.include({ Details: 'History requested' })
      const page = await answerTo(data.RequestId)
      expect(page.map(({ key }) => key.ID)).to.deep.equal(old.slice(4))

      const [oldest] = page
      const next = { BeforeID: oldest?.key.ID, BeforeTimestamp: oldest?.messageTimestamp }
      const more = await request(next)
      expect(await idsOf(more.data.RequestId)).to.deep.equal(old.slice(2, 4))
      // Another request with the same answer is another event.
      const again = await request(next)
      expect(await idsOf(again.data.RequestId)).to.deep.equal(old.slice(2, 4))
    },
  )

  it('takes the last known message of the chat without BeforeID, and a sent one', async () => {
    const { data: sent } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'mine' })
    await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === sent.Id)
    await session.phone.wait(({ id }) => id === sent.Id)
    for (const body of [{}, { BeforeID: sent.Id }]) {
      const { data, error } = await request({ Count: 3, ...body })
      expect(error).to.equal(undefined)
      expect((await idsOf(data.RequestId)).slice(0, 2)).to.deep.equal(old.slice(4))
    }
  })

  it('is answered with an empty part at the beginning of the chat', async () => {
    const { data } = await request({ BeforeID: old[0], BeforeTimestamp: '2020-01-01T00:00:00Z' })
    expect(await idsOf(data.RequestId)).to.deep.equal([])
  })

  it('waits on the network while the phone is off', async () => {
    await session.phone.act({ Action: 'switchOff' })
    const { data } = await request({})
    expect(data.RequestId).to.be.a('string')
    await session.phone.act({ Action: 'switchOn' })
    expect(await idsOf(data.RequestId)).to.not.be.empty
  })

  refuses('POST /chat/history', 'what it can not request', async () => {
    const before = world.counters()['messages']
    const unknown = await request({ BeforeID: 'NOSUCHID' })
    expect(unknown).to.include({ status: 404, error: 'Message not found' })
    expect(await request({ Count: 51 })).to.include({ status: 400 })
    expect((await request({ Count: 51 })).error).to.include('Count')
    const time = await request({ BeforeID: 'X', BeforeTimestamp: 'yesterday' })
    expect(time.error).to.equal('Invalid BeforeTimestamp: must be RFC 3339, or seconds since 1970')
    expect((await request({ Phone: '120363@newsletter' })).error).to.include('Invalid Phone')
    const caio = await world.phone('Caio')
    expect((await request({ Phone: caio.account.phone })).error).to.include('BeforeID')
    expect(world.counters()['messages']).to.equal(before)
    world.fault({ Phone: session.phone.account.phone, Fault: 'refuse', Code: 429, Count: 1 })
    expect(await request({})).to.include({ status: 429 })
  })
})
