import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { createKeyStore, type KeyStoreParts } from '../../../../plugins/baileys/signal/signal-keys.ts'

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

async function committed(results: WeakRef<object>[]): Promise<object> {
  const result = { rows: 1 }
  results.push(new WeakRef(result))
  return result
}
