import { expect } from 'chai'
import fc from 'fast-check'
import { LINK_BACKOFF, retryDelay } from '../../../kernel/sessions/backoff.ts'

describe('the delay before a link is opened again', () => {
  it('grows with each attempt, and stays between a tenth of the first and the longest', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 1000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, random) => {
          const delay = retryDelay('reconnect-later', attempt, () => random)
          expect(delay).to.be.within(LINK_BACKOFF.first / 10, LINK_BACKOFF.most)
        },
      ),
    )
    const longest = (attempt: number) => retryDelay('reconnect-later', attempt, () => 1)
    expect([0, 1, 2, 20].map(longest)).to.deep.equal([1_000, 1_500, 2_250, 300_000])
  })

  it('is none when the network asks for a restart', () => {
    expect(retryDelay('reconnect-now', 9, Math.random)).to.equal(0)
  })

  it('is 5 s at most after a storage failure', () => {
    expect(retryDelay('reconnect-soon', 20, () => 1)).to.equal(5_000)
    expect(retryDelay('reconnect-soon', 20, () => 1, { first: 10, most: 100 })).to.equal(100)
  })

  it('does not exist for a link that is not opened again', () => {
    for (const effect of [undefined, 'unlink', 'open-link', 'announce'] as const)
      expect(retryDelay(effect, 0, Math.random)).to.equal(undefined)
  })
})
