import { expect } from 'chai'
import { createInterval } from '../../../kernel/async/interval.ts'
import { withTimeout } from '../../../kernel/async/time-out.ts'
import { deferred } from '../../support/deferred.ts'

const never = new Promise<never>(() => undefined)
const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('time-out', () => {
  it('answers what comes in time, and rejects as the work does', async () => {
    expect(await withTimeout(Promise.resolve(1), 1_000, () => 2)).to.equal(1)
    const failed = withTimeout(Promise.reject(new Error('no')), 1_000, () => 2)
    expect(await failed.catch((error: Error) => error.message)).to.equal('no')
  })

  it('answers or throws what stands for work that is late', async () => {
    expect(await withTimeout(never, 1, () => 'late')).to.equal('late')
    const failed = withTimeout(never, 1, () => {
      throw new Error('too late')
    })
    expect(await failed.catch((error: Error) => error.message)).to.equal('too late')
  })
})

describe('interval', () => {
  it('runs at the start, again after each end, and goes on after a failure', async () => {
    const { promise, resolve } = deferred<void>()
    const errors: unknown[] = []
    let runs = 0
    const interval = createInterval(
      1,
      () => {
        runs += 1
        if (runs === 3) resolve()
        throw new Error(`run ${runs}`)
      },
      (error) => errors.push((error as Error).message),
    )
    interval.start()
    await promise
    await interval.stop()
    expect(errors).to.deep.equal(['run 1', 'run 2', 'run 3'])
  })

  it('never overlaps, and stops when the run under way has ended', async () => {
    const { promise: hold, resolve: release } = deferred<void>()
    let runs = 0
    const interval = createInterval(
      1,
      () => {
        runs += 1
        return hold
      },
      () => undefined,
    )
    interval.start()
    await later(20)
    let stopped = false
    const stopping = interval.stop().then(() => {
      stopped = true
    })
    await later(5)
    expect([runs, stopped]).to.deep.equal([1, false])
    release()
    await stopping
    await later(20)
    expect(runs).to.equal(1)
  })
})
