import { expect } from 'chai'
import { createAutoResetEvent } from '../../../plugins/consumers/auto-reset-event.ts'

describe('an auto-reset event', () => {
  it('ends a wait when it is set, and is reset by it', async () => {
    const event = createAutoResetEvent()
    const order: string[] = []
    const waiting = event.wait().then(() => order.push('first'))
    order.push('set')
    event.set()
    await waiting
    const again = event.wait().then(() => order.push('second'))
    await Promise.resolve()
    order.push('set again')
    event.set()
    await again
    expect(order).to.deep.equal(['set', 'first', 'set again', 'second'])
  })

  it('keeps a set that comes before the wait, once', async () => {
    const event = createAutoResetEvent()
    event.set()
    event.set()
    await event.wait()
    let isOver = false
    const waiting = event.wait().then(() => {
      isOver = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isOver).to.equal(false)
    event.set()
    await waiting
  })

  it('ends a wait after its time', async () => {
    const started = performance.now()
    await createAutoResetEvent().wait(20)
    expect(performance.now() - started).to.be.at.least(18)
  })
})
