import { expect } from 'chai'
import { crashLoop } from './crash.ts'
import type { CrashReport } from './evidence.ts'

const FAULTS = ['lost', 'doubled', 'undelivered', 'vanished', 'repeated', 'undecryptable', 'refused'] as const

describe('a gateway that is killed again and again under traffic both ways', function () {
  this.timeout(420_000)

  it('loses nothing and doubles nothing in 40 kills', async () => {
    // Always the same, so that a run can be compared with the one before; `npm run crash` tries others.
    for (const seed of [1, 2]) {
      const { received, sent, retries, ...faults } = await crashLoop({ kills: 20, seed })
      expect(received).to.be.greaterThan(100)
      expect(sent).to.be.greaterThan(20)
      expect(faults, `seed ${seed}`).to.deep.equal(Object.fromEntries(FAULTS.map((name) => [name, []])))
      expect(retries, `messages asked for again, seed ${seed}`).to.equal(0)
    }
  })

  it('would lose with what stock Baileys does', async () => {
    const report = await crashLoop({ kills: 4, seed: 3, isStock: true })
    expect(damageOf(report)).to.be.greaterThan(0)
  })
})

function damageOf(report: CrashReport): number {
  return FAULTS.reduce((sum, name) => sum + report[name].length, report.retries)
}
