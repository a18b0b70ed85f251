import { expect } from 'chai'
import fc from 'fast-check'
import { createDelayQueue } from '../../../../plugins/webhook/dispatch/delay-queue.ts'

describe('delay queue', () => {
  it('returns what is due, earliest first, and knows when the next item is due', () => {
    const time = fc.integer({ min: 0, max: 50 })
    fc.assert(
      fc.property(fc.array(fc.record({ times: fc.array(time), now: time })), (rounds) => {
        const queue = createDelayQueue<number>()
        let expected: number[] = []
        for (const { times, now } of rounds) {
          for (const at of times) queue.push(at, at)
          expected = [...expected, ...times].sort((a, b) => a - b)
          expect(queue.popDue(now)).to.deep.equal(expected.filter((at) => at <= now))
          expected = expected.filter((at) => at > now)
          expect(queue.nextAt()).to.equal(expected[0])
        }
      }),
    )
  })
})
