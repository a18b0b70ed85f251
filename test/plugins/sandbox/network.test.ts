import { expect } from 'chai'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

describe('the local network', () => {
  let world: World
  let session: LinkedSession
  before(async () => {
    world = await startWorld()
    session = await world.linked(await world.phone('Shop'))
  })
  after(() => world.stop())

  it('queues messages for an offline session, and delivers them in order', async () => {
    const ana = await world.phone('Ana')
    await session.post('/session/disconnect')
    const ids: string[] = []
    for (const text of ['one', 'two', 'three'])
      ids.push(await ana.send(session.phone.account.phone, { Text: text }))
    await session.post('/session/connect', { Immediate: false })
    await session.status({ LoggedIn: true })
    const delivered = () =>
      ana.receipts.filter(({ id, from }) => ids.includes(id) && from.includes('@')).map(({ id }) => id)
    const isAll = () => new Set(delivered()).size === 3 && delivered().length >= 6
    await eventually(isAll, 'delivered to both devices', { progress: delivered })
  })

  it('redelivers a message, which the session reads from its inbox and logs once', async () => {
    const ana = await world.phone('Bea')
    const id = await ana.send(session.phone.account.phone, { Text: 'again' })
    await logged(id, 1)
    const before = world.counters()['receipts'] ?? 0
    world.fault({ Phone: session.phone.account.phone, Fault: 'redeliver', Count: 1 })
    await eventually(() => (world.counters()['receipts'] ?? 0) > before, 'receipted')
    expect(world.counters()).to.include({ retries: 0 })
    await logged(id, 1)
  })

  /** Waits until a message is in the event log that often; a second time would be one too many. */
  async function logged(id: string, times: number): Promise<void> {
    const count = await eventually(async () => {
      const { data } = await session.get('/events?after=0&limit=500&class=Message')
      const found = data.Events.filter(
        ({ event }: { event: { Info: { ID: string } } }) => event.Info.ID === id,
      ).length
      return found >= times && found
    }, `${id} in the log`)
    expect(count, `${id} in the log`).to.equal(times)
  }

  it('shows phones, companions and counters over HTTP, to the admin only', async () => {
    expect(await world.gateway.get('/sandbox/network')).to.include({ status: 401 })
    const { data } = await world.gateway.get(`/sandbox/phones/${session.phone.account.phone}`, admin)
    expect(data.Companions).to.have.length(1)
    expect(data.Settings.some(({ Index }: { Index: string[] }) => Index[0] === 'setting_pushName')).to.equal(
      true,
    )
    expect((await world.gateway.get('/sandbox/network', admin)).data.Counters).to.include.keys(
      'messages',
      'receipts',
    )
  })

  it('refuses unknown phones, faults and actions', async () => {
    const { gateway } = world
    expect(await gateway.get('/sandbox/phones/123', admin)).to.include({ status: 404 })
    const fault = await gateway.post('/sandbox/faults', { Fault: 'earthquake' }, admin)
    expect(fault.error).to.include('Invalid Fault: "earthquake" is not one of')
    const { phone } = session.phone.account
    const action = await gateway.post(`/sandbox/phones/${phone}/actions`, { Action: 'fly' }, admin)
    expect(action.error).to.include('Invalid Action: must be one of read')
    const blank = await gateway.post(
      `/sandbox/phones/${phone}/scan`,
      { QRCode: 'data:image/png;base64,AAAA' },
      admin,
    )
    expect(blank.error).to.include('it is not a PNG image')
  })
})
