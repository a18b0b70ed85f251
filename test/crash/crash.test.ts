import { expect } from 'chai'
import { isWhole, sized, whole } from '../support/run/whole.ts'
import { crashLoop } from './crash.ts'
import { type CrashReport, faultsOf, NO_FAULTS } from './evidence.ts'

const KILLS = sized(12, 2)
/** Always the same, so that a run can be compared with the one before; `npm run crash` tries others. */
const SEEDS = isWhole ? [1, 2] : [1]

describe('a gateway that is killed again and again under traffic both ways', function () {
  this.timeout(600_000)

  it(`loses nothing and doubles nothing in ${SEEDS.length * KILLS} kills`, async () => {
    for (const seed of SEEDS) {
      const report = await crashLoop({ kills: KILLS, seed })
      expect(report.received).to.be.greaterThan(5 * KILLS)
      expect(report.sent).to.be.greaterThan(KILLS)
      expect(faultsOf(report), `seed ${seed}`).to.deep.equal(NO_FAULTS)
      expect(report.retries, `messages asked for again, seed ${seed}`).to.equal(0)
    }
  })

  whole.it('would lose with what stock Baileys does', async () => {
    const report = await crashLoop({ kills: 4, seed: 3, isStock: true })
    expect(damageOf(report)).to.be.greaterThan(0)
  })
})

function damageOf(report: CrashReport): number {
  return Object.values(faultsOf(report)).reduce((sum, list) => sum + list.length, report.retries)
}
