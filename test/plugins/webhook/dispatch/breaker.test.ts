import { expect } from 'chai'
import fc from 'fast-check'
import { type Breaker, createBreaker } from '../../../../plugins/webhook/dispatch/breaker.ts'

const FAILURES = 3
const FIRST = 100

/** A request that went out and has not come back. */
interface World {
  now: number
  breaker: Breaker
  open: number
}

const begin = (): World => {
  const world = { now: 0, open: 0 } as World
  world.breaker = createBreaker({ failures: FAILURES, firstMs: FIRST, now: () => world.now })
  return world
}
const fail = ({ breaker }: World, times: number): void => {
  for (let i = 0; i < times; i += 1) {
    breaker.begin()
    breaker.failed()
  }
}

describe('circuit breaker of a webhook host', () => {
  it('opens after consecutive failures only', () => {
    const world = begin()
    fail(world, FAILURES - 1)
    world.breaker.succeeded()
    fail(world, FAILURES - 1)
    expect(world.breaker.state).to.equal('closed')
    fail(world, 1)
    expect(world.breaker.state).to.equal('open')
    expect(world.breaker.admits()).to.equal(false)
  })

  it('admits one probe after the open time, which a failure doubles and a success ends', () => {
    const world = begin()
    const { breaker } = world
    fail(world, FAILURES)
    world.now = FIRST
    expect(breaker.admits()).to.equal(true)
    breaker.begin()
    expect(breaker.admits()).to.equal(false)
    expect(breaker.failed()).to.equal(true)
    expect(breaker.until).to.equal(FIRST + 2 * FIRST)
    world.now = breaker.until
    breaker.begin()
    expect(breaker.succeeded()).to.equal(true)
    expect(breaker.state).to.equal('closed')
    fail(world, FAILURES)
    expect(breaker.until).to.equal(world.now + FIRST)
  })

  it('admits nothing while open, never two probes at once, and always becomes half-open again', () => {
    const step = fc.oneof(
      fc.constant('try' as const),
      fc.constantFrom('fail' as const, 'succeed' as const, 'cut' as const),
      fc.integer({ min: 1, max: 400 }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const world = begin()
        const { breaker } = world
        let probes = 0
        for (const action of steps) {
          if (typeof action === 'number') world.now += action
          else if (action === 'try') {
            if (!breaker.admits()) continue
            expect(breaker.state).not.to.equal('open')
            if (breaker.state === 'half-open') {
              expect(probes).to.equal(0)
              probes += 1
            }
            breaker.begin()
            world.open += 1
          } else if (world.open > 0) {
            world.open -= 1
            const turned =
              action === 'fail'
                ? breaker.failed()
                : action === 'succeed'
                  ? breaker.succeeded()
                  : breaker.cancelled()
            if (turned || action !== 'fail') probes = 0
          }
        }
        world.now += 600_000
        expect(breaker.state).not.to.equal('open')
      }),
    )
  })
})
