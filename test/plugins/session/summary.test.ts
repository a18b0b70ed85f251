import { expect } from 'chai'
import { dayOf, SLOT_MS, SLOTS } from '../../../plugins/session/day.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

describe('the last 24 hours of a session', () => {
  const NOW = Date.UTC(2026, 10, 20, 12)
  const at = (halfHours: number): number => NOW - halfHours * SLOT_MS
  const born = (halfHours: number) => ({
    createdAt: new Date(at(halfHours)).toISOString(),
    jid: '',
    isOnRequest: false,
  })
  const step = (halfHours: number, from: string, to: string) => ({ at: at(halfHours), from, to })
  const last = (day: number[], count: number): number[] => day.slice(SLOTS - count)

  it('have no share before it exists, is linked or started: nobody expects it to be connected', () => {
    expect(dayOf({ ...born(3), state: 'offline' }, [], NOW)).to.deep.equal(Array(SLOTS).fill(-1))
    const linking = [step(3, 'offline', 'connecting'), step(3, 'connecting', 'scan')]
    expect(dayOf({ ...born(4), state: 'scan' }, linking, NOW)).to.deep.equal(Array(SLOTS).fill(-1))
    const ended = [...linking, step(2, 'scan', 'failed')]
    expect(dayOf({ ...born(4), state: 'failed' }, ended, NOW)).to.deep.equal(Array(SLOTS).fill(-1))
    const stopped = [...linking, step(2, 'connecting', 'open'), step(1, 'open', 'offline')]
    expect(last(dayOf({ ...born(4), state: 'offline', jid: 'x' }, stopped, NOW), 3)).to.deep.equal([
      -1, 100, -1,
    ])
  })

  it('are those of the time since it is linked, also within a half hour', () => {
    const linking = [
      step(3, 'connecting', 'scan'),
      step(0.1, 'scan', 'connecting'),
      step(0.1, 'connecting', 'open'),
    ]
    expect(last(dayOf({ ...born(4), state: 'open', jid: 'x' }, linking, NOW), 2)).to.deep.equal([-1, 100])
  })

  it('show what was lost: reconnecting, unlinked, refused', () => {
    const lost = [step(2.5, 'open', 'waiting'), step(2, 'waiting', 'open'), step(1, 'open', 'logged-out')]
    expect(last(dayOf({ ...born(90), state: 'logged-out', jid: '' }, lost, NOW), 4)).to.deep.equal([
      100, 50, 100, 0,
    ])
    expect(
      dayOf({ ...born(90), state: 'logged-out', isOnRequest: true }, lost, NOW).slice(SLOTS - 2),
    ).to.deep.equal([100, -1])
    expect(dayOf({ ...born(90), state: 'open', jid: 'x' }, [], NOW)).to.deep.equal(Array(SLOTS).fill(100))
    expect(dayOf({ ...born(90), state: 'waiting', jid: 'x' }, [], NOW)).to.deep.equal(Array(SLOTS).fill(0))
  })
})

for (const engine of engines)
  describe(`the summary of sessions, on ${engine.name}`, () => {
    let world: World
    const place = engine.fresh()
    const same = { ...engine, fresh: () => place }
    before(async () => {
      world = await startWorld({}, same)
    })
    after(() => world.stop())

    const lastOf = async (session: LinkedSession): Promise<string> =>
      (await session.get('/session/summary')).data.Sessions[0].LastMessage

    it('has the time of the last message of each, received or sent; reactions are none', async () => {
      const [shop, quiet] = [
        await world.linked(await world.phone('Shop')),
        await world.linked(await world.phone('Quiet')),
      ]
      expect(await lastOf(shop)).to.equal('')
      const ana = await world.phone('Ana')
      const before = Math.floor(Date.now() / 1_000) * 1_000
      await ana.send(shop.phone.account.phone, { Text: 'hello' })
      await eventually(async () => (await lastOf(shop)) !== '', 'the time of the received message')
      const received = await lastOf(shop)
      expect(Date.parse(received)).to.be.within(before, Date.now())
      expect(await lastOf(quiet)).to.equal('')
      await eventually(() => Date.now() >= Date.parse(received) + 1_000, 'the next second')
      const { data } = await shop.post('/send/text', { Phone: ana.account.phone, Body: 'answer' })
      await eventually(async () => (await lastOf(shop)) > received, 'the time of the sent message')
      const sent = await lastOf(shop)
      await eventually(() => Date.now() >= Date.parse(sent) + 1_000, 'the next second')
      await shop.post('/message/react', { Phone: ana.account.phone, Body: '👍', Id: data.Id, IsFromMe: true })
      expect(await lastOf(shop)).to.equal(sent)
      const all = (await world.gateway.get('/session/summary', admin)).data.Sessions
      expect(all.map(({ LastMessage }: { LastMessage: string }) => LastMessage).sort()).to.deep.equal([
        '',
        sent,
      ])
    })

    it('has it also after a restart', async () => {
      const before = (await world.gateway.get('/session/summary', admin)).data.Sessions
      await world.stop()
      world = await startWorld({}, same)
      const after = (await world.gateway.get('/session/summary', admin)).data.Sessions
      const times = (rows: { Id: string; LastMessage: string }[]) =>
        rows.map(({ Id, LastMessage }) => `${Id} ${LastMessage}`).sort()
      expect(times(after)).to.deep.equal(times(before))
      expect(times(after).some((row) => /T/.test(row))).to.equal(true)
    })
  })
