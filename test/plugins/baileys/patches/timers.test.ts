import '../../../../plugins/baileys/baileys.ts'
import { executionAsyncResource } from 'node:async_hooks'
import { expect } from 'chai'
import { owningTimers } from '../../../../plugins/baileys/patches/timers.ts'
import { eventually } from '../../../support/eventually.ts'

describe('timers patch', () => {
  it('unrefs the timers of an ended link, and those that it starts later', async () => {
    let begin = (): void => undefined
    const { made, release } = owningTimers(() => {
      const began = new Promise<void>((resolve) => {
        begin = resolve
      })
      const timer = (): NodeJS.Timeout => setTimeout(() => undefined, 60_000)
      return { early: timer(), late: began.then(timer) }
    })
    expect(made.early.hasRef()).to.equal(true)
    release()
    begin()
    const late = await made.late
    expect([made.early.hasRef(), late.hasRef()]).to.deep.equal([false, false])
    clearTimeout(made.early)
    clearTimeout(late)
  })

  it('costs no hook for each promise once no link is tracked', async () => {
    const { made, untrack } = owningTimers(storages)
    expect(await made).to.be.greaterThan(0)
    untrack()
    // Links of other tests are tracked until a second after their end.
    await eventually(async () => (await storages()) === 0, 'no storage is in use')
  })
})

/** Symbols with which Node marks a new promise while any storage is in use. */
async function storages(): Promise<number> {
  await null
  return Object.getOwnPropertySymbols(executionAsyncResource()).length
}
