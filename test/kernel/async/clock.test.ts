import { expect } from 'chai'
import { clock, inProgress, startTimer } from '../../../kernel/async/clock.ts'
import { deferred } from '../../support/deferred.ts'

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('timers of work that is due later', () => {
  it('run once, and not after a stop', async () => {
    const runs: string[] = []
    const { promise, resolve } = deferred<void>()
    startTimer(1, () => runs.push('stopped')).stop()
    startTimer(5, () => {
      runs.push('due')
      resolve()
    })
    await promise
    await later(10)
    expect(runs).to.deep.equal(['due'])
  })

  it("wait for longer than Node's timers", async () => {
    let runs = 0
    const timer = startTimer(2 ** 31, () => {
      runs += 1
    })
    await later(20)
    timer.stop()
    expect(runs).to.equal(0)
  })

  it('are known while they wait', () => {
    const before = clock.due.size
    const timer = startTimer(60_000, () => undefined, { isUnref: true })
    expect(clock.due.size).to.equal(before + 1)
    timer.stop()
    expect(clock.due.size).to.equal(before)
  })
})

describe('work in progress', () => {
  it('is not kept where the clock can not be set', async () => {
    const work = Promise.resolve(1)
    expect(inProgress(work)).to.equal(work)
    expect(clock.inProgress.has(work)).to.equal(false)
  })
})
