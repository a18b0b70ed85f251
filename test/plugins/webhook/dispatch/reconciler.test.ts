import { expect } from 'chai'
import { createReconciler } from '../../../../plugins/webhook/dispatch/reconciler.ts'

const never = (error: unknown): void => {
  throw error
}

describe('reconciler', () => {
  it('never runs twice at once, and once more for all requests during a run', async () => {
    const runs: (() => void)[] = []
    let onRun = (): void => undefined
    const reconciler = createReconciler(
      () =>
        new Promise((resolve) => {
          runs.push(resolve)
          onRun()
        }),
      never,
    )
    const nextRun = (): Promise<void> => new Promise((resolve) => (onRun = resolve))
    reconciler.request()
    for (let i = 0; i < 3; i += 1) reconciler.request()
    expect(runs).to.have.length(1)
    const second = nextRun()
    runs[0]?.()
    await second
    expect(runs).to.have.length(2)
    const stopped = reconciler.stop()
    reconciler.request()
    runs[1]?.()
    await stopped
    expect(runs).to.have.length(2)
  })

  it('runs at the time that was set last', async () => {
    const began = Date.now()
    await new Promise<void>((resolve) => {
      const reconciler = createReconciler(async () => resolve(), never)
      reconciler.requestAt(began + 5)
      reconciler.requestAt(began + 40)
    })
    expect(Date.now() - began).to.be.at.least(39)
  })

  it('reports a run that failed, and repeats it', async () => {
    const failures: unknown[] = []
    let runs = 0
    await new Promise<void>((resolve) => {
      const reconciler = createReconciler(
        async () => {
          runs += 1
          if (runs === 1) throw new Error('storage is away')
          resolve()
        },
        (error) => failures.push(error),
      )
      reconciler.request()
    })
    expect(failures).to.have.length(1)
  })

  it('starts nothing when it is stopped', async () => {
    let runs = 0
    const reconciler = createReconciler(async () => {
      runs += 1
    }, never)
    await reconciler.stop()
    reconciler.request()
    reconciler.requestAt(Date.now())
    await reconciler.stop()
    expect({ runs, isStopped: reconciler.isStopped }).to.deep.equal({ runs: 0, isStopped: true })
  })
})
