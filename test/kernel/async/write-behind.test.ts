import { expect } from 'chai'
import { writeBehind } from '../../../kernel/async/write-behind.ts'
import { deferred } from '../../support/deferred.ts'

const RETRY = { first: 60_000, most: 60_000 }

describe('write-behind', () => {
  it('writes what comes during a write together, after it', async () => {
    const first = deferred<void>()
    const written: [string[], boolean][] = []
    const behind = writeBehind<number>({
      async write(values, isDeferred) {
        written.push([[...values].map(([key, value]) => `${key}${value}`), isDeferred])
        if (written.length === 1) await first.promise
      },
      onError: expect.fail,
      retry: RETRY,
    })
    behind.add('a', 1)
    await new Promise((resolve) => setImmediate(resolve))
    behind.add('b', 1)
    behind.add('a', 2)
    expect(behind.pending('a')).to.equal(2)
    const flushed = behind.flush()
    first.resolve()
    await flushed
    expect(written).to.deep.equal([
      [['a1'], true],
      [['b1', 'a2'], false],
    ])
    expect([behind.pending('a'), behind.size]).to.deep.equal([undefined, 0])
    await behind.close()
    expect(written).to.have.length(2)
  })

  it('keeps what a write has failed on, merged with what came meanwhile', async () => {
    const errors: unknown[] = []
    const written: Record<string, string>[] = []
    let fails = true
    const behind = writeBehind<string>({
      async write(values) {
        if (fails) throw new Error('full')
        written.push(Object.fromEntries(values))
      },
      merge: (older, newer) => older + newer,
      onError: (error) => errors.push(error),
      retry: RETRY,
    })
    behind.add('a', '1')
    behind.add('a', '2')
    expect(await behind.flush().catch(String)).to.equal('Error: full')
    behind.add('a', '3')
    expect(behind.pending('a')).to.equal('123')
    fails = false
    await behind.close()
    expect(written).to.deep.equal([{ a: '123' }])
    expect(errors).to.have.length.above(0)
  })

  it('waits for more where it is told to', async () => {
    const done = deferred<number>()
    const behind = writeBehind<number>({
      write: async (values) => done.resolve(values.size),
      onError: expect.fail,
      delayMs: 5,
      retry: RETRY,
    })
    behind.add('a', 1)
    behind.add('b', 1)
    expect(await done.promise).to.equal(2)
    await behind.close()
  })
})
