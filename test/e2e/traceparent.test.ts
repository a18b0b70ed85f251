import { expect } from 'chai'
import { type Receiver, startReceiver } from '../support/servers/receiver.ts'
import { admin, openShop, type Shop } from '../support/world.ts'

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-1234567812345678-01'

describe('a request with traceparent', () => {
  let shop: Shop
  let receiver: Receiver
  before(async () => {
    receiver = await startReceiver()
    shop = await openShop()
    await shop.session.post('/webhook', { WebhookURL: receiver.url })
  })
  after(async () => {
    await shop.world.stop()
    await receiver.close()
  })

  async function sent(body: string, headers: Record<string, string>) {
    const { gateway } = shop.world
    const given = { ...shop.session.headers, ...headers }
    const { data } = await gateway.post('/send/text', { Phone: shop.ana.account.phone, Body: body }, given)
    const delivery = await receiver.wait(
      (one) => one.body.includes(data.Id) && one.body.includes('"Message"'),
    )
    const { data: log } = await gateway.get('/events', shop.session.headers)
    const event = log.Events.find(
      (one: { event: { Info?: { ID: string } } }) => one.event.Info?.ID === data.Id,
    )
    return { delivery, body: JSON.parse(delivery.body), event }
  }
  const requests = () =>
    shop.world.gateway.lines
      .map((line) => JSON.parse(line))
      .filter(({ msg, path }) => msg === 'request' && path === '/send/text')

  it('shows it in the log, in the event and as a header of its delivery', async () => {
    const { delivery, body, event } = await sent('traced', { traceparent: TRACE })
    expect(delivery.headers['traceparent']).to.equal(TRACE)
    expect(body.traceparent).to.equal(TRACE)
    expect(event.traceparent).to.equal(TRACE)
    expect(requests().at(-1)).to.include({ traceparent: TRACE, status: 200 })
  })

  it('has the session in its log line', async () => {
    const [line] = requests()
    const { data } = await shop.world.gateway.get('/session/all', admin)
    expect(line.session).to.equal(data[0].Id)
  })

  for (const [what, headers] of [
    ['without the header', {}],
    ['with an invalid one', { traceparent: 'nonsense' }],
  ] as const)
    it(`nothing of it is anywhere ${what}`, async () => {
      const { delivery, body, event } = await sent(what, { ...headers })
      expect(delivery.headers).to.not.have.property('traceparent')
      expect(body).to.not.have.property('traceparent')
      expect(event).to.not.have.property('traceparent')
      expect(requests().at(-1)).to.not.have.property('traceparent')
    })

  it('keeps it when the link is lost before the network has answered', async () => {
    const { world, session, ana } = shop
    world.fault({ Phone: session.phone.account.phone, Fault: 'silent' })
    const given = { ...session.headers, traceparent: TRACE, prefer: 'respond-async' }
    const { data } = await world.gateway.post(
      '/send/text',
      { Phone: ana.account.phone, Body: 'later' },
      given,
    )
    world.fault({ Phone: session.phone.account.phone, Fault: 'clear' })
    world.fault({ Phone: session.phone.account.phone, Fault: 'drop' })
    const { headers } = await receiver.wait(
      (one) => one.body.includes(data.Id) && one.body.includes('"Message"'),
    )
    expect(headers['traceparent']).to.equal(TRACE)
  })
})
