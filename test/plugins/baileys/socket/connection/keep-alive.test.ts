import { mock } from 'node:test'
import { expect } from 'chai'
import { createKeepAlive } from '../../../../../plugins/baileys/socket/connection/keep-alive.ts'
import { linkRaw } from '../../../../support/clients/raw-companion.ts'
import { eventually } from '../../../../support/eventually.ts'
import { startNetwork } from '../../../../support/network.ts'
import { openShop } from '../../../../support/world.ts'

const LEAST_MS = 15_000
/** Of the clock of the test. */
const STEP_MS = 10

describe('pings', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'] }))
  afterEach(() => mock.timers.reset())

  function pass(ms: number): void {
    for (let at = 0; at < ms; at += STEP_MS) mock.timers.tick(STEP_MS)
  }

  it('come at random after 15 to 30 s, and those of ten sessions do not coincide (whatsapp/20)', () => {
    const sessions = Array.from({ length: 10 }, () => {
      const times: number[] = []
      const keepAlive = createKeepAlive({
        keepAliveMs: LEAST_MS,
        ping: () => times.push(Date.now()) > 0,
        heardAt: Date.now,
        onSilence: () => undefined,
      })
      return { times, keepAlive }
    })
    pass(30 * 60_000)
    for (const { times, keepAlive } of sessions) {
      keepAlive.stop()
      const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0))
      expect(Math.min(...gaps)).to.be.at.least(LEAST_MS)
      expect(Math.max(...gaps)).to.be.at.most(2 * LEAST_MS + STEP_MS)
      // No metronome.
      expect(new Set(gaps).size).to.be.above(gaps.length / 2)
    }
    const all = sessions.flatMap(({ times }) => times)
    // 800 pings in 180,000 steps: two of them in one step happen, sessions in step do not.
    expect(new Set(all).size).to.be.above(all.length * 0.95)
  })

  it('end a link on which nothing is heard for 20 s after one, and no other', () => {
    const silences: number[] = []
    let heardAt = 0
    const keepAlive = createKeepAlive({
      keepAliveMs: LEAST_MS,
      ping: () => true,
      heardAt: () => heardAt,
      onSilence: () => silences.push(Date.now()),
      random: () => 0,
    })
    pass(LEAST_MS + 19_000)
    expect(silences).to.deep.equal([])
    heardAt = Date.now()
    pass(10_000)
    expect(silences).to.deep.equal([])
    pass(60_000)
    expect(silences.length).to.be.above(0)
    expect((silences[0] ?? 0) - heardAt).to.be.within(20_000, 40_000)
    keepAlive.stop()
  })
})

describe('pings of the network', () => {
  it('are answered, of any form (whatsapp/20)', async () => {
    const { world, session } = await openShop()
    const { logins } = world.counters()
    for (let count = 1; count <= 6; count += 1) {
      world.fault({ Fault: 'ping', Ms: 5_000 })
      await eventually(() => world.counters()['serverPongs'] === count, `answer ${count}`)
    }
    expect(world.counters()).to.include({ serverPings: 6, logins })
    await session.status({ State: 'open' })
    await world.stop()
  })

  it('end the link of a client that does not answer', async () => {
    const loose = await startNetwork()
    const ana = await loose.phones.create({ name: 'Ana' })
    const companion = await linkRaw(loose, ana)
    await companion.logIn()
    const isOnline = () => loose.network.brief(ana.account).companions.some(({ isOnline }) => isOnline)
    await eventually(isOnline, 'logged in')
    loose.network.fault({ Fault: 'ping', Ms: 50 })
    await eventually(() => !isOnline(), 'its link is closed')
    await loose.network.close()
  })
})
