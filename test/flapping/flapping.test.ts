import { expect } from 'chai'
import { whole } from '../support/run/whole.ts'
import { flap } from './flapping.ts'
import { damageOf, figuresOf } from './report.ts'

const SECONDS = 90

whole.describe('a gateway on a network that comes and goes', function () {
  this.timeout((SECONDS + 240) * 1000)

  it(`loses, doubles, reorders and denies nothing in ${SECONDS} s`, async () => {
    const report = await flap({ seconds: SECONDS, seed: 1 })
    // What a busy machine does in that time, too.
    expect(report.troubles).to.be.greaterThan(SECONDS / 20)
    for (const count of [report.received, report.sent, report.accepted]) expect(count).to.be.greaterThan(5)
    const damage = Object.entries(damageOf(report)).filter(([, list]) => list.length > 0)
    expect(Object.fromEntries(damage), figuresOf(report)).to.deep.equal({})
  })
})
