import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import type { Answer } from '../../support/calls.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

describe('a send with "Prefer: respond-async"', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let receiver: Receiver
  before(async () => {
    world = await startWorld({ config: { baileys: { ackTimeoutMs: 1500, queue: 20 } } })
    receiver = await startReceiver()
    session = await world.linked(await world.phone('Shop'), { subscribe: ['Message'] })
    await session.post('/webhook', { WebhookURL: receiver.url })
    ana = await world.phone('Ana')
    await session.post('/send/text', { Phone: ana.account.phone, Body: 'hello' })
  })
  after(async () => {
    await world.stop()
    await receiver.close()
  })

  const send = (Body: string, extra: object = {}): Promise<Answer> =>
    world.gateway.post(
      '/send/text',
      { Phone: ana.account.phone, Body, ...extra },
      { ...session.headers, Prefer: 'respond-async' },
    )
  const event = async (type: string, id: string) => {
    const { body } = await receiver.wait(({ body: text }) => {
      const { type: kind, event: told } = JSON.parse(text)
      return kind === type && (told.Id ?? told.Info?.ID) === id
    })
    return JSON.parse(body).event
  }

  it('is answered with 202 and its id before the ack; the event reports the outcome', async () => {
    world.fault({ Phone: session.phone.account.phone, Fault: 'delay', Ms: 150 })
    const answer = await send('later')
    expect(answer).to.include({ status: 202, code: 202, success: true })
    expect(answer.data).to.have.all.keys('Details', 'Id')
    expect(answer.data.Details).to.equal('Accepted')
    expect(receiver.deliveries.filter(({ body }) => body.includes(answer.data.Id))).to.deep.equal([])
    const { Info } = await event('Message', answer.data.Id)
    world.fault({ Phone: session.phone.account.phone, Fault: 'clear' })
    expect(Info).to.include({ IsFromMe: true })
    await ana.wait(({ id }) => id === answer.data.Id)
  })

  it('raises SendFailed if it fails', async () => {
    const { phone } = session.phone.account
    world.fault({ Phone: phone, Fault: 'refuse', Code: 403, Count: 1 })
    const { data: refused } = await send('refused')
    const told = await event('SendFailed', refused.Id)
    expect(told).to.include({ Code: 'NETWORK_FORBIDDEN', Chat: ana.account.jid })
    expect(told.Error).to.include('not allowed in this chat (403)')

    world.fault({ Phone: phone, Fault: 'silent' })
    const { data: lost } = await send('unanswered')
    const unknown = await event('SendFailed', lost.Id)
    world.fault({ Phone: phone, Fault: 'clear' })
    expect(unknown).to.include({ Code: 'NETWORK_SILENT' })
    await session.status({ LoggedIn: true })
  })

  it('is answered at once if the request is invalid, or was answered before', async () => {
    expect(await send('')).to.include({ status: 400 })
    const { status, error } = await send('x', { Phone: '5511900000000' })
    expect({ status, error }).to.deep.equal({
      status: 404,
      error: '5511900000000@s.whatsapp.net is not on WhatsApp',
    })
    const accepted = await send('once', { Id: 'async-once' })
    expect(accepted).to.include({ status: 202 })
    await event('Message', 'async-once')
    const again = await send('once', { Id: 'async-once' })
    expect(again).to.include({ status: 200 })
    expect(again.data).to.include({ Details: 'Sent', Id: 'async-once' })
  })

  it('is sent in the order of acceptance', async () => {
    for (let i = 0; i < 10; i += 1) await send(`row ${i}`, { Id: `row${i}` })
    await event('Message', 'row9')
    const ids = ana.messages().map(({ id }) => id)
    expect(ids.filter((id) => id.startsWith('row'))).to.deep.equal(
      Array.from({ length: 10 }, (_, i) => `row${i}`),
    )
  })

  it('is refused when too many are waiting', async () => {
    world.fault({ Phone: session.phone.account.phone, Fault: 'silent' })
    const answers = await Promise.all(Array.from({ length: 25 }, (_, i) => send(`many ${i}`)))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).to.have.length(5)
    expect(refused[0]?.error).to.equal('Too many messages of this session are waiting (20); try again later')
    const taken = answers.filter(({ status }) => status === 202)
    for (const { data } of taken) await event('SendFailed', data.Id)
    world.fault({ Phone: session.phone.account.phone, Fault: 'clear' })
  })

  it('is sent over the next link if its own is lost', async () => {
    const { phone } = session.phone.account
    world.fault({ Phone: phone, Fault: 'delay', Ms: 1000 })
    const before = world.counters()['duplicates'] ?? 0
    const { data } = await send('cut off')
    await ana.wait(({ id }) => id === data.Id)
    world.fault({ Phone: phone, Fault: 'drop' })
    world.fault({ Phone: phone, Fault: 'clear' })
    await event('Message', data.Id)
    expect(world.counters()['duplicates']).to.equal(before + 1)
    expect(ana.messages().filter(({ id }) => id === data.Id)).to.have.length(1)
  })
})
