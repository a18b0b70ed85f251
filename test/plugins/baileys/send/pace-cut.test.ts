import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { asValue, definePlugin, type GatewayServices } from '../../../../kernel/plugin.ts'
import { eventually } from '../../../support/eventually.ts'
import { openShop, type Shop } from '../../../support/world.ts'

describe('a link that ends while a message waits for its pace', () => {
  let shop: Shop
  let waiting = 0
  let isHeld = true
  /** Rejects with the reason of the signal, as a caller that passes it on does. */
  const slow: GatewayServices['pace'] = {
    tally: { waits: 0, waitedMs: 0, held: 0 },
    restrictedUntil: () => 0,
    async before({ signal }) {
      waiting += 1
      if (isHeld)
        await sleep(60_000, undefined, { signal }).catch(() => {
          throw signal.reason
        })
    },
  }
  const plugin = definePlugin({
    name: 'slow-pace',
    version: '1.0.0',
    api: '^1.0.0',
    provides: ['pace'],
    services: () => ({ pace: asValue(slow) }),
  })
  before(async () => {
    shop = await openShop({ without: ['pacing'], extra: [plugin] })
  })
  after(() => shop.world.stop())

  it('leaves the message to the next link', async () => {
    const { world, session, ana } = shop
    const sending = session.post('/send/text', { Phone: ana.account.phone, Body: 'later', Id: 'later' })
    await eventually(() => waiting === 1, 'waits for its pace')
    isHeld = false
    world.fault({ Fault: 'drop', Phone: session.phone.account.phone })
    expect(await sending).to.include({ status: 504, errorCode: 'NETWORK_SILENT' })
    await ana.wait(({ id }) => id === 'later')
    await eventually(async () => {
      const { data } = await session.get('/send/later')
      if (data.Status !== 'Sent') throw new Error(`it is ${data.Status}`)
      return true
    }, 'sent')
  })
})
