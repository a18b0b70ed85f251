import { expect } from 'chai'
import { createKeyedQueue } from '../../../kernel/async/keyed-queue.ts'
import { createSerialQueue } from '../../../kernel/async/serial-queue.ts'
import { deferred } from '../../support/deferred.ts'

/** A job whose end the test decides. */
function controlled(order: string[], name: string) {
  const { promise, resolve, reject } = deferred<string>()
  const job = (): Promise<string> => {
    order.push(`${name} begins`)
    return promise
  }
  return { job, resolve, reject }
}

describe('serial queue', () => {
  it('runs one job at a time, in order, and answers each caller', async () => {
    const queue = createSerialQueue()
    const order: string[] = []
    const first = controlled(order, 'first')
    const one = queue.run(first.job)
    const two = queue.run(() => order.push('second begins'))
    await Promise.resolve()
    expect(order).to.deep.equal(['first begins'])
    first.resolve('done')
    expect(await one).to.equal('done')
    await two
    expect(order).to.deep.equal(['first begins', 'second begins'])
  })

  it('goes on after a job that fails, and is idle after it', async () => {
    const queue = createSerialQueue()
    const failed = queue.run(() => Promise.reject(new Error('no'))).catch((error: Error) => error.message)
    const next = queue.run(async () => 'yes')
    await queue.idle()
    expect(await Promise.all([failed, next])).to.deep.equal(['no', 'yes'])
  })

  it('hands a job that throws at once to its caller alone', async () => {
    const queue = createSerialQueue()
    const failed = queue.run(() => {
      throw new Error('at once')
    })
    expect(await failed.catch((error: Error) => error.message)).to.equal('at once')
    expect(await queue.run(() => 'after')).to.equal('after')
  })
})

describe('keyed queue', () => {
  it('holds a job behind the one of its key, and no other', async () => {
    const queue = createKeyedQueue()
    const order: string[] = []
    const first = controlled(order, 'ana 1')
    const one = queue.run('ana', first.job)
    const two = queue.run('ana', () => order.push('ana 2 begins'))
    await queue.run('bea', () => order.push('bea begins'))
    expect(order).to.deep.equal(['ana 1 begins', 'bea begins'])
    first.reject(new Error('no'))
    expect(await one.catch((error: Error) => error.message)).to.equal('no')
    await two
    expect(order.at(-1)).to.equal('ana 2 begins')
  })

  it('is idle when the jobs of all keys have ended', async () => {
    const queue = createKeyedQueue()
    const order: string[] = []
    const last = controlled(order, 'last')
    void queue.run('ana', () => undefined)
    void queue.run('bea', last.job)
    const idle = queue.idle().then(() => order.push('idle'))
    await queue.run('ana', () => order.push('ana'))
    last.resolve('')
    await idle
    expect(order).to.deep.equal(['last begins', 'ana', 'idle'])
  })
})
