import '../../../../plugins/baileys/baileys.ts'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { owningTimers } from '../../../../plugins/baileys/patches/timers.ts'
import { scriptOf } from '../../../support/process.ts'

/** Since Node 24, V8 carries the context of an AsyncLocalStorage, without hooks. */
const HAS_HOOKS = Number.parseInt(process.versions.node, 10) < 24

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
    // In a process of its own, in which nothing else uses an AsyncLocalStorage.
    const script = `
      const { executionAsyncId } = await import('node:async_hooks')
      await import('./build/plugins/baileys/baileys.js')
      const { owningTimers } = await import('./build/plugins/baileys/patches/timers.js')
      // With hooks, each continuation has an id of its own.
      const isHooked = async () => {
        await null
        const first = executionAsyncId()
        await null
        return executionAsyncId() !== first
      }
      const before = await isHooked()
      const { made, untrack } = owningTimers(isHooked)
      const meanwhile = await made
      untrack()
      console.log(JSON.stringify({ before, meanwhile, after: await isHooked() }))`
    const { stdout } = await promisify(execFile)(process.execPath, scriptOf(script))
    expect(JSON.parse(stdout)).to.deep.equal({ before: false, meanwhile: HAS_HOOKS, after: false })
  })
})
