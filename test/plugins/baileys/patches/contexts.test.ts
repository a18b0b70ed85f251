import { AsyncLocalStorage, executionAsyncResource } from 'node:async_hooks'
import { expect } from 'chai'
import { createProbe } from '../../../support/probe.ts'
import { type LinkedSession, startWorld, type World } from '../../../support/world.ts'

/** Storages that every new promise carries on: Node marks each on it with a symbol. */
async function storages(): Promise<number> {
  await null
  return Object.getOwnPropertySymbols(executionAsyncResource()).length
}

describe('the transactions of several links', function () {
  this.timeout(30_000)
  const probe = createProbe()
  let world: World
  let sessions: LinkedSession[]
  before(async () => {
    world = await startWorld({ extra: [probe.plugin] })
    sessions = [await world.linked(await world.phone('Ana')), await world.linked(await world.phone('Bea'))]
  })
  after(() => world.stop())

  it('know nothing of each other', async () => {
    const [first, second] = await Promise.all(
      sessions.map(async (session) => (await probe.socket(session)).wa.authState.keys),
    )
    const states = () => [first?.isInTransaction(), second?.isInTransaction()]
    const seen: unknown[] = []
    expect(states()).to.deep.equal([false, false])
    await first?.transaction(async () => {
      await null
      seen.push(states())
      await second?.transaction(async () => {
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

  it('make the promises of the process no heavier with each link', async () => {
    const before = await storages()
    await world.linked(await world.phone('Cem'))
    expect(await storages()).to.equal(before)
  })

  it('leave to others the storage that Node has', () => {
    expect(new AsyncLocalStorage().exit(() => 1)).to.equal(1)
  })
})
