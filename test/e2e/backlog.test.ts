import { expect } from 'chai'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { drained, link, waitingFor } from '../crash/crash.ts'
import { temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { type GatewayProcess, startProcess } from '../support/process.ts'
import { whole } from '../support/run/whole.ts'
import { type Receiver, startReceiver } from '../support/servers/receiver.ts'

/** What comes in while the gateway is away: some seconds' worth of each. */
const AWAY = { texts: 400, calls: 600 }

describe('a gateway that was away for long', function () {
  this.timeout(300_000)
  let loose: LooseNetwork
  let env: Record<string, string>
  let receiver: Receiver
  let gateway: GatewayProcess
  let shop: Phone
  let ana: Phone
  let token: { token: string }
  let group: string

  before(async () => {
    loose = await startNetwork()
    receiver = await startReceiver()
    env = {
      WAMUX_DATA_DIR: temporaryFolder(),
      WAMUX_BAILEYS_NETWORK: loose.card,
      WAMUX_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    }
    shop = await loose.phones.create({ name: 'Shop' })
    ana = await loose.phones.create({ name: 'Ana' })
    gateway = await startProcess(env)
    token = { token: (await link(gateway, shop, receiver)).token }
    const created = await ana.act({ Action: 'createGroup', Text: 'G', Participants: [shop.account.phone] })
    group = String(created['JID'])
    await gateway.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message', 'Call'] }, token)
  })
  after(async () => {
    await gateway.end('SIGTERM')
    await receiver.close()
    await loose.network.close()
  })

  const waiting = () => waitingFor(loose, [shop])
  const send = (id: string) =>
    gateway.post('/send/text', { Phone: ana.account.phone, Body: id, Id: id }, token)
  const bodies = (type: string) =>
    receiver.deliveries.map(({ body }) => JSON.parse(body)).filter((body) => body.type === type)

  /** How much still waits on the network when the first send is answered, and when some events are delivered. */
  async function comesBack(count: number, away: () => Promise<unknown>) {
    await drained(loose, [shop])
    await gateway.end('SIGTERM')
    const delivered = receiver.deliveries.length
    for (let i = 0; i < count; i += 1) await away()
    gateway = await startProcess(env)
    const answered = async (): Promise<number> => {
      await eventually(async () => (await send(`id${Date.now()}`)).success, 'answered', { progress: waiting })
      return waiting()
    }
    const events = receiver.count(delivered + 5).then(waiting)
    const [atSend, atEvents] = await Promise.all([answered(), events])
    await drained(loose, [shop])
    return { atSend, atEvents }
  }

  it('answers sends and delivers events while it takes in the messages that waited', async () => {
    const texts: string[] = []
    const { atSend, atEvents } = await comesBack(AWAY.texts, async () => {
      const to = texts.length % 3 === 0 ? group : shop.account.phone
      texts.push(await ana.send(to, { Text: 'meanwhile' }))
    })
    expect(atSend).to.be.above(AWAY.texts / 2)
    expect(atEvents).to.be.above(AWAY.texts / 2)
    await receiver.count(AWAY.texts)
    const missing = (): number => {
      const delivered = new Set(bodies('Message').map(({ event }) => event.Info.ID))
      return texts.filter((id) => !delivered.has(id)).length
    }
    await eventually(() => missing() === 0, 'all delivered', { progress: missing })
    expect(shop.failures).to.deep.equal([])
    expect(loose.network.view()['Counters']).to.include({ retries: 0 })
  })

  whole.it('and while it takes in calls', async () => {
    const { atSend, atEvents } = await comesBack(AWAY.calls, () =>
      ana.act({ Action: 'call', Chat: shop.account.phone }),
    )
    expect(bodies('CallOffer')).not.to.be.empty
    expect(atSend).to.be.above(AWAY.calls / 2)
    expect(atEvents).to.be.above(AWAY.calls / 2)
  })
})
