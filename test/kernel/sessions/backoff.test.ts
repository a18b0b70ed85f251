import { expect } from 'chai'
import fc from 'fast-check'
import { judge, PACE } from '../../../kernel/sessions/backoff.ts'

describe('judging a closed link', () => {
  it('retries what time may mend, later each time, never beyond the cap', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 1000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, random) => {
          const { retryIn = -1 } = judge('lost', attempt, () => random)
          expect(retryIn).to.be.within(PACE.first / 10, PACE.most)
        },
      ),
    )
    const longest = (attempt: number) => judge('unavailable', attempt, () => 1).retryIn
    expect([0, 1, 2, 20].map(longest)).to.deep.equal([1_000, 2_000, 4_000, 300_000])
  })

  it('restarts at once when the network asks for it', () => {
    expect(judge('restart', 9, Math.random)).to.deep.equal({ state: 'connecting', retryIn: 0 })
  })

  it('does not fight for a replaced link', () => {
    expect(judge('replaced', 0, Math.random)).to.deep.equal({ state: 'replaced' })
  })

  it('forgets the keys of a link that is over', () => {
    expect(judge('logged-out', 0, Math.random)).to.include({ state: 'logged-out', unlinked: true })
    expect(judge('banned', 0, Math.random)).to.include({ unlinked: true })
  })
})
