import { expect } from 'chai'
import cloudApi from '../../../plugins/cloud-api/index.ts'
import { deferred } from '../../support/deferred.ts'
import { eventually } from '../../support/eventually.ts'
import { readMetrics } from '../../support/metrics.ts'
import type { ReceiverReply } from '../../support/servers/receiver.ts'
import { admin, openShop, type Shop } from '../../support/world.ts'
import { type CloudReceiver, setWebhook, startCloudReceiver } from './receiver.ts'

describe('the metrics of webhooks, of the Cloud API among them,', () => {
  let shop: Shop
  let receiver: CloudReceiver
  before(async () => {
    // A delivery becomes a dead letter at its first failure.
    shop = await openShop({ extra: [cloudApi], config: { webhook: { retrySeconds: [] } } })
    receiver = await startCloudReceiver()
    await setWebhook(shop.world, shop.session, receiver.url)
  })
  after(async () => {
    await shop.world.stop()
    await receiver.close()
  })

  async function shown() {
    const { value } = await readMetrics(shop.world.gateway.url, admin)
    const host = new URL(receiver.url).origin
    const attempts = (outcome: string) => value('wamux_webhook_attempts_total', { host, outcome }) ?? 0
    return {
      accepted: attempts('delivered'),
      givenUp: attempts('dead'),
      waiting: value('wamux_webhook_pending', { host }) ?? 0,
      dead: value('wamux_webhook_dead', { host }) ?? 0,
      age: value('wamux_webhook_oldest_pending_seconds', { host }) ?? 0,
    }
  }
  const receive = (Text: string) => shop.ana.send(shop.session.phone.account.phone, { Text })

  it('count attempts by outcome, what waits and what was given up', async () => {
    const none = { accepted: 0, givenUp: 0, waiting: 0, dead: 0, age: 0 }
    expect(await shown()).to.deep.equal(none)

    const answer = deferred<ReceiverReply>()
    receiver.answer(() => answer.promise)
    await receive('on its way')
    await receiver.wait(({ body }) => body.includes('on its way'))
    const during = await eventually(async () => {
      const now = await shown()
      return now.age > 0 && now
    }, 'an age')
    expect(during).to.deep.include({ waiting: 1, accepted: 0 })
    answer.resolve({ status: 200 })
    await eventually(async () => expect(await shown()).to.deep.equal({ ...none, accepted: 1 }), 'accepted')

    for (const [status, dead] of [
      [400, 1],
      [503, 2],
    ] as const) {
      receiver.answer(() => ({ status }))
      await receive(`refused with ${status}`)
      await eventually(async () => expect(await shown()).to.include({ waiting: 0, dead }), 'a dead letter')
    }
    expect(await shown()).to.include({ givenUp: 2 })

    receiver.answer(() => ({ status: 200 }))
    await shop.session.post('/cloud-api/webhook/retry')
    await eventually(
      async () => expect(await shown()).to.include({ accepted: 3, waiting: 0, dead: 0, age: 0 }),
      'delivered',
    )
  })

  it('forget the dead letters of a webhook that is removed', async () => {
    receiver.answer(() => ({ status: 400 }))
    await receive('refused again')
    await eventually(async () => expect(await shown()).to.include({ dead: 1 }), 'a dead letter')
    await shop.world.gateway.call('DELETE', '/cloud-api/webhook', { headers: shop.session.headers })
    expect(await shown()).to.include({ waiting: 0, dead: 0 })
  })
})
