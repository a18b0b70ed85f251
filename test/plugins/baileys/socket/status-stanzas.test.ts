import { expect } from 'chai'
import { eventually } from '../../../support/eventually.ts'
import { type LinkedSession, openShop, type Shop } from '../../../support/world.ts'

describe('status posts as stanzas of their own', () => {
  let shop: Shop
  let reader: LinkedSession
  before(async () => {
    shop = await openShop()
    reader = await shop.world.linked(await shop.world.phone('Reader'))
  })
  after(() => shop.world.stop())
  afterEach(() => shop.world.fault({ Fault: 'clear' }))

  async function post(Text: string): Promise<string> {
    const StatusJidList = [reader.phone.account.phone]
    const { data, error } = await shop.session.post('/status/text', { Text, StatusJidList })
    expect(data, error).to.include({ Details: 'Sent' })
    return data.Id
  }
  const texts = async (): Promise<string[]> => {
    const { data } = await reader.get('/events?limit=1000&class=Message')
    return data.Events.flatMap((event: unknown) => JSON.stringify(event).match(/post \d/)?.[0] ?? [])
  }
  /** Stanzas that the companion has not acknowledged. */
  const waiting = (): number => {
    const view = shop.world.gateway.service('sandbox').network.viewAccount(reader.phone.account)
    return (view['Companions'] as { Waiting: number }[])[0]?.Waiting ?? 0
  }

  it('are messages of the session, and are acknowledged: none comes again (whatsapp/32)', async () => {
    await post('post 1')
    await eventually(async () => (await texts()).includes('post 1'), 'the post')
    await eventually(() => waiting() === 0, 'its ack')
    const logins = shop.world.counters()['logins'] ?? 0
    shop.world.fault({ Fault: 'drop', Phone: reader.phone.account.phone })
    await eventually(() => (shop.world.counters()['logins'] ?? 0) > logins, 'the next login')
    await reader.status({ State: 'open' })
    await post('post 2')
    await eventually(async () => (await texts()).includes('post 2'), 'the next post')
    expect(await texts()).to.deep.equal(['post 1', 'post 2'])
  })

  it('wait for a session that is offline (whatsapp/32)', async () => {
    await reader.post('/session/disconnect')
    await post('post 3')
    expect(waiting()).to.be.above(0)
    await reader.post('/session/connect')
    await eventually(async () => (await texts()).includes('post 3'), 'the post')
    await eventually(() => waiting() === 0, 'its ack')
  })

  it('come again from their author if they can not be decrypted', async () => {
    shop.world.fault({ Fault: 'garble', Phone: reader.phone.account.phone })
    await post('post 4')
    await eventually(async () => (await texts()).includes('post 4'), 'the post')
    await eventually(() => waiting() === 0, 'its ack')
  })

  it('are messages in the older form, too', async () => {
    shop.world.fault({ Fault: 'legacyStatuses' })
    await post('post 5')
    await eventually(async () => (await texts()).includes('post 5'), 'the post')
    await eventually(() => waiting() === 0, 'its receipt')
  })
})
