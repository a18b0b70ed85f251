import { expect } from 'chai'
import cloudApi from '../../../plugins/cloud-api/index.ts'
import { deferred } from '../../support/deferred.ts'
import { eventually } from '../../support/eventually.ts'
import { readMetrics } from '../../support/metrics.ts'
import type { Reply } from '../../support/servers/receiver.ts'
import { admin, openShop, type Shop } from '../../support/world.ts'
import { type CloudReceiver, setWebhook, startCloudReceiver } from './receiver.ts'

describe('the metrics of the Cloud API webhooks', () => {
  let shop: Shop
  let receiver: CloudReceiver
  before(async () => {
    // A body becomes a dead letter at its first failure.
    shop = await openShop({ extra: [cloudApi], config: { 'cloud-api': { giveUpDays: 1e-9 } } })
    receiver = await startCloudReceiver()
    await setWebhook(shop.world, shop.session, receiver.url)
  })
  after(async () => {
    await shop.world.stop()
    await receiver.close()
  })

  async function shown() {
    const { value } = await readMetrics(shop.world.gateway.url, admin)
    const posts = (outcome: string) => value('wamux_cloud_api_posts_total', { outcome }) ?? Number.NaN
    return {
      accepted: posts('accepted'),
      refused: posts('refused'),
      unreachable: posts('unreachable'),
      waiting: value('wamux_cloud_api_waiting'),
      dead: value('wamux_cloud_api_dead'),
      age: value('wamux_cloud_api_oldest_waiting_seconds') ?? Number.NaN,
    }
  }
  const receive = (Text: string) => shop.ana.send(shop.session.phone.account.phone, { Text })

  it('count posts by outcome, what waits and what was given up', async () => {
    const none = { accepted: 0, refused: 0, unreachable: 0, waiting: 0, dead: 0, age: 0 }
    expect(await shown()).to.deep.equal(none)

    const answer = deferred<Reply>()
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

    receiver.answer(() => ({ status: 400 }))
    await receive('refused')
    await eventually(async () => expect(await shown()).to.include({ waiting: 0, dead: 1 }), 'one dead letter')
    receiver.answer(() => ({ status: 503 }))
    await receive('nobody there')
    await eventually(
      async () => expect(await shown()).to.include({ waiting: 0, dead: 2 }),
      'two dead letters',
    )
    const failed = await shown()
    expect(failed.refused).to.be.greaterThan(0)
    expect(failed.unreachable).to.be.greaterThan(0)

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
