import { expect } from 'chai'
import { storedTimes } from '../../../plugins/webhook/delivery/deliveries.ts'

const HOUR_MS = 3_600_000

describe('times of deliveries', () => {
  it('are stored in the time of the database, so that another process need not wait for a fast clock', () => {
    // The clock of this process is an hour fast for one database, and right for the other.
    const fast = storedTimes({ now: () => Date.now() - HOUR_MS })
    const right = storedTimes({ now: () => Date.now() })
    const retryAt = Date.now() + 5_000
    expect(right.fromStored(fast.toStored(retryAt))).to.be.closeTo(retryAt - HOUR_MS, 50)
    expect(fast.fromStored(fast.toStored(retryAt))).to.be.closeTo(retryAt, 50)
  })

  it('that are not set stay so', () => {
    const fast = storedTimes({ now: () => Date.now() - HOUR_MS })
    expect([fast.toStored(0), fast.fromStored(0)]).to.deep.equal([0, 0])
  })
})
