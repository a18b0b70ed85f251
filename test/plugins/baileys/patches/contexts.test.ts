import { AsyncLocalStorage, executionAsyncResource } from 'node:async_hooks'
import { expect } from 'chai'
import { createProbe } from '../../../support/probe.ts'
import { type LinkedSession, startWorld, type World } from '../../../support/world.ts'

/** Number of storages that every new promise carries: Node marks each with a symbol. */
async function storages(): Promise<number> {
  await null
  return Object.getOwnPropertySymbols(executionAsyncResource()).length
}

describe('contexts patch', () => {
  const probe = createProbe()
  let world: World
  let sessions: LinkedSession[]
  before(async () => {
    world = await startWorld({ extra: [probe.plugin] })
    sessions = [await world.linked(await world.phone('Ana')), await world.linked(await world.phone('Bea'))]
  })
  after(() => world.stop())

  it('keeps the transactions of several links separate', async () => {
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

  it('adds no storage to the promises of the process with another link', async () => {
    const before = await storages()
    await world.linked(await world.phone('Cem'))
    expect(await storages()).to.equal(before)
  })

  it('leaves AsyncLocalStorage unchanged outside of links', () => {
    expect(new AsyncLocalStorage().exit(() => 1)).to.equal(1)
  })
})
