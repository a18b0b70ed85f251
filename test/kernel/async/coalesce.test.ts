import { expect } from 'chai'
import { coalesce } from '../../../kernel/async/coalesce.ts'
import { deferred } from '../../support/deferred.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('coalesced work', () => {
  it('runs once more for all requests that come while it runs', async () => {
    const ends = [deferred<void>(), deferred<void>()]
    let runs = 0
    const work = coalesce(() => ends[runs++]?.promise)
    for (let i = 0; i < 3; i += 1) work.request()
    await turn()
    expect(runs).to.equal(1)
    for (let i = 0; i < 3; i += 1) work.request()
    const asked = [work.run(), work.run()]
    ends[0]?.resolve()
    await turn()
    expect(runs).to.equal(2)
    ends[1]?.resolve()
    await Promise.all(asked)
    await turn()
    expect(runs).to.equal(2)
  })

  it('answers who asked with the run that began after that', async () => {
    const first = deferred<void>()
    let runs = 0
    const work = coalesce(async () => {
      runs += 1
      if (runs === 1) return first.promise
      throw new Error('the second')
    })
    const one = work.run()
    await turn()
    const two = work.run().catch(String)
    first.resolve()
    await one
    expect(await two).to.equal('Error: the second')
  })

  it('pauses after a failure, which requests do not shorten and who waits for a run does', async () => {
    const errors: unknown[] = []
    let runs = 0
    const work = coalesce(
      () => {
        runs += 1
        if (runs < 3) throw new Error(`${runs}`)
      },
      { onError: (error) => errors.push(String(error)), retry: { first: 60_000, most: 60_000 } },
    )
    work.request()
    work.request()
    await turn()
    expect(runs).to.equal(1)
    expect(await work.run().catch(String)).to.equal('Error: 2')
    await work.run()
    expect(runs).to.equal(3)
    expect(errors).to.deep.equal(['Error: 1', 'Error: 2'])
    await work.stop()
  })

  it('runs on its own again after a failure', async () => {
    const third = deferred<void>()
    let runs = 0
    const work = coalesce(
      () => {
        runs += 1
        if (runs < 3) throw new Error('no')
        third.resolve()
      },
      { retry: { first: 1, most: 1 } },
    )
    work.request()
    await third.promise
    await work.stop()
  })

  it('runs at the time that was set last', async () => {
    const ran = deferred<void>()
    const work = coalesce(() => ran.resolve())
    work.requestAt(Date.now() + 60_000)
    work.requestAt(Date.now() + 1)
    await ran.promise
    await work.stop()
  })

  it('stops when the run under way has ended, and frees who waits', async () => {
    const end = deferred<void>()
    let runs = 0
    const work = coalesce(() => {
      runs += 1
      return end.promise
    })
    work.request()
    await turn()
    const waiting = work.run()
    const stopped = work.stop()
    expect(work.isStopped).to.equal(true)
    end.resolve()
    await Promise.all([stopped, waiting, work.run()])
    work.request()
    await turn()
    expect(runs).to.equal(1)
  })
})
