import { expect } from 'chai'
import fc from 'fast-check'
import type { Ownership } from '../../../kernel/plugin.ts'
import { createOwned } from '../../../kernel/sessions/owned.ts'
import { deferred } from '../../support/deferred.ts'

const RETRY = { first: 1, most: 1 }
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** An ownership whose changes the test makes; as that of a cluster, it waits for what its listeners return. */
function owners() {
  const listeners = new Set<(session: string, isOwned: boolean) => void | Promise<void>>()
  const ownership: Ownership = {
    owns: () => true,
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const change = (isOwned: boolean, session = 'one') =>
    Promise.all([...listeners].map((listener) => listener(session, isOwned)))
  return { ownership, change }
}

describe('state kept for each session that is served', () => {
  it('is pending from the moment of the gain, and there once it is read', async () => {
    const { ownership, change } = owners()
    const reading = deferred<string>()
    const owned = createOwned({ ownership, open: () => reading.promise, onError: expect.fail })
    owned.start()
    expect(owned.isPending('one')).to.equal(false)
    await owned.ready('one')
    const gained = change(true)
    expect(owned.isPending('one')).to.equal(true)
    const ready = owned.ready('one')
    expect(owned.of('one')).to.equal(undefined)
    reading.resolve('read')
    await Promise.all([ready, gained])
    expect(owned.of('one')).to.equal('read')
    expect(owned.isPending('one')).to.equal(false)
    await owned.stop()
  })

  it('is opened again after a session was lost and gained while it was opening, and closed in between', async () => {
    const { ownership, change } = owners()
    const calls: string[] = []
    const opens = [deferred<number>(), deferred<number>()]
    let begun = 0
    const owned = createOwned<number>({
      ownership,
      open() {
        calls.push('open')
        return (opens[begun++] as ReturnType<typeof deferred<number>>).promise
      },
      close: (_session, state) => calls.push(`close ${state}`),
      onError: expect.fail,
    })
    owned.start()
    const first = change(true)
    const lost = change(false)
    const again = change(true)
    const ready = owned.ready('one')
    expect(calls).to.deep.equal(['open'])
    opens[0]?.resolve(1)
    await lost
    await turn()
    expect(calls).to.deep.equal(['open', 'close 1', 'open'])
    expect(owned.isPending('one')).to.equal(true)
    opens[1]?.resolve(2)
    await Promise.all([first, again, ready])
    expect(owned.of('one')).to.equal(2)
    await owned.stop()
  })

  it('is tried again where reading it fails; who waits meanwhile is told so, and the claim goes on', async () => {
    const { ownership, change } = owners()
    const errors: unknown[] = []
    const later = deferred<string>()
    let tries = 0
    const owned = createOwned<string>({
      ownership,
      open: () => (++tries === 1 ? Promise.reject(new Error('away')) : later.promise),
      onError: (error) => errors.push(error),
      retry: RETRY,
    })
    owned.start()
    const gained = change(true)
    expect(await owned.ready('one').catch(String)).to.equal('Error: away')
    await gained
    expect(owned.isPending('one')).to.equal(true)
    later.resolve('read')
    while (owned.isPending('one')) await turn()
    expect(owned.of('one')).to.equal('read')
    expect(errors).to.have.length(1)
    await owned.stop()
  })

  it('gives a session away when closing has ended, also one that was served from the start', async () => {
    const { ownership, change } = owners()
    const closing = deferred<void>()
    const owned = createOwned({
      ownership,
      open: () => undefined,
      close: () => closing.promise,
      onError: expect.fail,
    })
    owned.start()
    let isGiven = false
    const lost = change(false).then(() => {
      isGiven = true
    })
    await turn()
    expect(isGiven).to.equal(false)
    closing.resolve()
    await lost
    await owned.stop()
  })

  it('is open after any order of changes exactly where the last one was a gain, and never opened twice at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ isOwned: fc.boolean(), turns: fc.nat(3), fails: fc.boolean() }), {
          maxLength: 12,
        }),
        async (changes) => {
          const { ownership, change } = owners()
          let running = 0
          let opened = 0
          let fails = false
          const owned = createOwned<number>({
            ownership,
            async open() {
              expect(++running).to.equal(1)
              await turn()
              running -= 1
              if (fails) {
                fails = false
                throw new Error('away')
              }
              return ++opened
            },
            async close() {
              expect(++running).to.equal(1)
              await turn()
              running -= 1
            },
            onError: () => undefined,
            retry: RETRY,
          })
          owned.start()
          for (const { isOwned, turns, fails: next } of changes) {
            fails = next
            void change(isOwned)
            for (let i = 0; i < turns; i += 1) await turn()
          }
          const isOwned = changes.at(-1)?.isOwned ?? false
          if (isOwned) while (owned.isPending('one')) await turn()
          await owned.stop()
          expect(owned.of('one')).to.equal(isOwned ? opened : undefined)
        },
      ),
      { numRuns: 200 },
    )
  })
})
