import { expect } from 'chai'
import { faultsOf, NO_FAULTS } from '../crash/evidence.ts'
import { ENOUGH, type SurviveOptions, survive } from './survive.ts'

/** Nothing lost, doubled, out of order or undecryptable, and every failed request answered with a clear error. */
export async function expectNoDamage(options: SurviveOptions): Promise<void> {
  const { blows, answers, failures, ...report } = await survive(options)
  expect(faultsOf(report)).to.deep.equal(NO_FAULTS)
  expect(failures, 'UndecryptableMessage and SendFailed events').to.deep.equal([])
  expect(blows).to.be.at.least(ENOUGH.blows)
  expect(report.received).to.be.at.least(ENOUGH.received)
  expect(report.sent).to.be.at.least(ENOUGH.sent)
  for (const answer of answers) expect(answer).to.match(ANSWERS)
}

/** What a client may be told meanwhile; the crash test's traffic counts any other answer as refused. */
const ANSWERS =
  /^(503 The database does not answer; try again shortly|507 Storage is full or failing: SQLITE_\w+|409 No session)$/
