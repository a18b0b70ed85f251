import { expect } from 'chai'
import { pullOfflineQueue } from '../../../../../plugins/baileys/socket/connection/offline-queue.ts'
import { eventually } from '../../../../support/eventually.ts'
import { openShop, type Shop } from '../../../../support/world.ts'

const WAITING = 350

describe('the queue of what waited on the network', () => {
  let shop: Shop
  before(async () => {
    shop = await openShop()
  })
  after(() => shop.world.stop())
  afterEach(() => shop.world.fault({ Fault: 'clear' }))

  const texts = async (word: string): Promise<string[]> => {
    const { data } = await shop.session.get('/events?limit=1000&class=Message')
    const bodies = data.Events.map((event: unknown) => JSON.stringify(event)) as string[]
    return bodies.flatMap((body) => body.match(new RegExp(`${word} \\d+`))?.[0] ?? [])
  }
  async function leaveWaiting(word: string, count: number): Promise<string[]> {
    const { phone } = shop.session.phone.account
    const all = Array.from({ length: count }, (_, at) => `${word} ${at}`)
    for (const Text of all) await shop.ana.send(phone, { Text })
    return all
  }

  it('arrives whole and in order, and then what is live (whatsapp/02)', async () => {
    await shop.session.post('/session/disconnect')
    const waiting = await leaveWaiting('first', WAITING)
    await shop.session.post('/session/connect')
    const live = `first ${WAITING}`
    await shop.ana.send(shop.session.phone.account.phone, { Text: live })
    await eventually(async () => (await texts('first')).includes(live), 'the live one', {
      progress: async () => (await texts('first')).length,
    })
    expect(await texts('first')).to.deep.equal([...waiting, live])
    expect(shop.world.counters()['offlineBatches']).to.be.within(2, 8)
  })

  it('goes on after a cut, and nothing comes twice (whatsapp/02)', async () => {
    await shop.session.post('/session/disconnect')
    const waiting = await leaveWaiting('second', 60)
    const logins = shop.world.counters()['logins'] ?? 0
    shop.world.fault({ Phone: shop.session.phone.account.phone, Fault: 'cutQueue', Count: 5 })
    await shop.session.post('/session/connect')
    await eventually(async () => (await texts('second')).includes('second 59'), 'the last one', {
      progress: async () => (await texts('second')).length,
    })
    expect(await texts('second')).to.deep.equal(waiting)
    expect(shop.world.counters()['logins']).to.equal(logins + 2)
  })

  it('is not waited for longer than the network is silent', async () => {
    const silent = await new Promise<boolean>((resolve) => {
      const parts = { sendNode: async () => undefined, isOpen: () => true, queueSilenceMs: 10 }
      const stage = pullOfflineQueue({ ...parts, onSilence: () => resolve(true) })
      stage(() => true)('CB:success', { tag: 'success', attrs: {} })
      setTimeout(() => resolve(false), 2_000)
    })
    expect(silent).to.equal(true)
  })
})
