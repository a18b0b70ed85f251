import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import type { PluginDb } from '../../../../kernel/plugin.ts'
import { createKeyStore, type KeyStoreParts } from '../../../../plugins/baileys/signal/signal-keys.ts'
import { engines } from '../../../support/databases.ts'
import { deferred } from '../../../support/deferred.ts'
import { openStoredKeys } from '../../../support/key-store.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

describe('the store of Signal keys', () => {
  it('keeps no result of a commit, however long the link lives', async () => {
    const store = createKeyStore({
      cacheBytes: 1_000,
      signal: new AbortController().signal,
      onFailure: () => undefined,
    } as unknown as KeyStoreParts)
    const results: WeakRef<object>[] = []
    for (let commit = 0; commit < 3; commit += 1) await store.track(committed(results))
    await store.settled()
    // What a WeakRef refers to is kept until the turn that made it ends.
    await turn()
    collect()
    expect(results.map((result) => result.deref())).to.deep.equal([undefined, undefined, undefined])
  })
})

for (const engine of engines)
  describe(`a read of Signal keys on ${engine.name}`, () => {
    it('answers with a value that was committed while it was under way', async () => {
      const keys = await openStoredKeys(engine)
      const [value, newer] = [Buffer.from('old'), Buffer.from('new')]
      await keys.link().store.set({ session: { a: value } })
      const held = holding(keys.db.read)
      const { store } = keys.link(held.read)
      const reading = store.get('session', ['a'])
      await held.got
      await store.set({ session: { a: newer } })
      await store.settled()
      held.release()
      expect(await reading).to.deep.equal({ a: newer })
      await keys.close()
    })
  })

async function committed(results: WeakRef<object>[]): Promise<object> {
  const result = { rows: 1 }
  results.push(new WeakRef(result))
  return result
}

/** Reads whose rows arrive when they are released. */
function holding(read: PluginDb['read']) {
  const [got, released] = [deferred<void>(), deferred<void>()]
  const held = (...given: Parameters<typeof read>) =>
    new Proxy(read(...given), {
      get(query, name, proxy) {
        if (name !== 'then') return Reflect.get(query, name, proxy)
        const late = query.then(async (rows) => {
          got.resolve()
          await released.promise
          return rows
        })
        return late.then.bind(late)
      },
    })
  return { read: held as typeof read, got: got.promise, release: () => released.resolve() }
}
