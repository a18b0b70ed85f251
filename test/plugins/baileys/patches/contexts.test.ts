import { AsyncLocalStorage, executionAsyncResource } from 'node:async_hooks'
import { expect } from 'chai'
import { createLog } from '../../../../kernel/logging/log.ts'
import { wire } from '../../../../plugins/baileys/protocol/wire.ts'
import { startWorld, type World } from '../../../support/world.ts'

/** Number of storages that every new promise carries: Node marks each with a symbol. */
async function storages(): Promise<number> {
  await null
  return Object.getOwnPropertySymbols(executionAsyncResource()).length
}

describe('contexts patch', () => {
  let world: World
  before(async () => {
    world = await startWorld()
    await world.linked(await world.phone('Ana'))
  })
  after(() => world.stop())

  it('keeps the transactions of several key stores separate', async () => {
    const [first, second] = [keyStore(), keyStore()]
    const states = () => [first.isInTransaction(), second.isInTransaction()]
    const seen: unknown[] = []
    expect(states()).to.deep.equal([false, false])
    await first.transaction(async () => {
      await null
      seen.push(states())
      await second.transaction(async () => {
        await null
        seen.push(states())
      }, 'b')
      seen.push(states())
    }, 'a')
    seen.push(states())
    expect(seen).to.deep.equal([
      [true, false],
      [true, true],
      [true, false],
      [false, false],
    ])
  })

  it('adds no storage to the promises of the process with another link', async () => {
    const before = await storages()
    await world.linked(await world.phone('Cem'))
    expect(await storages()).to.equal(before)
  })

  it('leaves AsyncLocalStorage unchanged outside of links', () => {
    expect(new AsyncLocalStorage().exit(() => 1)).to.equal(1)
  })
})

function keyStore() {
  const empty = { get: async () => ({}), set: async () => undefined }
  const log = createLog({ level: 'silent' })
  return wire.addTransactionCapability(empty, log as never, { maxCommitRetries: 1, delayBetweenTriesMs: 1 })
}
