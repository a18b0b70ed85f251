import { expect } from 'chai'
import { NO_FAULTS } from '../crash/evidence.ts'
import { sized, whole } from '../support/run/whole.ts'
import { clusterLoop } from './cluster.ts'

describe('three nodes under traffic both ways', function () {
  this.timeout(300_000)
  before(function () {
    if (!process.env['TEST_DATABASE_URL']) this.skip()
  })

  it('lose nothing and double nothing when one is killed again and again', async () => {
    const report = await clusterLoop({
      fault: 'kill',
      times: sized(5, 2),
      seed: 1,
      sessions: 3,
      leaseMs: 3_000,
    })
    expect(report.faults).to.deep.equal(NO_FAULTS)
    expect(report.stale, 'sent by a node that had lost the session').to.deep.equal([])
    expect(report.retries, 'messages asked for again').to.equal(0)
    expect(report.received).to.be.greaterThan(sized(30, 20))
    expect(report.sent).to.be.greaterThan(sized(30, 20))
    expect(report.overlaps, 'links of one session side by side').to.deep.equal([])
    expect(Math.max(...report.gaps), 'milliseconds until all sessions were served again').to.be.below(20_000)
  })

  whole.it('send nothing for a session that was lost while a frame was about to be written', async () => {
    const report = await clusterLoop({ fault: 'block', times: 3, seed: 11, leaseMs: 5_000 })
    expect(report.faults).to.deep.equal(NO_FAULTS)
    expect(report.stale).to.deep.equal([])
    expect(report.retries, 'messages asked for again').to.equal(0)
    expect(report.overlaps, 'sessions that moved while their link could not be closed').not.to.deep.equal([])
  })
})
