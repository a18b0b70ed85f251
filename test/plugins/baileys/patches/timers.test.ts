import '../../../../plugins/baileys/baileys.ts'
import { expect } from 'chai'
import { owningTimers } from '../../../../plugins/baileys/patches/timers.ts'

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
})
