import { expect } from 'chai'
import type { Database } from '../../../../kernel/db/database.ts'
import { openPostgresConnection } from '../../../../kernel/db/engines/postgres-connection.ts'
import { createTurns } from '../../../../kernel/db/engines/turns.ts'
import { createWriter, type Writer } from '../../../../kernel/db/writer.ts'
import { createEventLog, type EventLog } from '../../../../kernel/events/log.ts'
import type { LogEvent, Ownership } from '../../../../kernel/plugin.ts'
import type { SessionVault } from '../../../../kernel/vault/vault.ts'
import { createHorizon } from '../../../../plugins/cluster/node.ts'
import { everyEngine } from '../../../support/databases.ts'
import { createTestRunner, type TestRunner } from '../../../support/events/consumers.ts'
import { declared, event, openEventLog } from '../../../support/events/event-log.ts'
import { eventually } from '../../../support/eventually.ts'

/** What leases do between processes: at any time one node owns a session. */
function createLeases() {
  const owners = new Map<string, string>()
  const listeners = new Map<string, Set<(session: string, isOwned: boolean) => unknown>>()
  const emit = (node: string, session: string, isOwned: boolean): void => {
    for (const listener of listeners.get(node) ?? []) listener(session, isOwned)
  }
  return {
    of: (node: string): Ownership => ({
      owns: (session) => owners.get(session) === node,
      watch(listener) {
        const own = listeners.get(node) ?? new Set()
        listeners.set(node, own.add(listener))
        return () => own.delete(listener)
      },
    }),
    ownerOf: (session: string) => owners.get(session) ?? '',
    give(session: string, node: string): void {
      const before = owners.get(session)
      owners.set(session, node)
      if (before) emit(before, session, false)
      emit(node, session, true)
    },
  }
}

const BATCH = 5

for (const engine of everyEngine.filter(({ name }) => name === 'PostgreSQL')) {
  describe('consumers of two processes on one PostgreSQL', () => {
    interface Node {
      log: EventLog
      writer: Writer
      consumers: TestRunner
      ownership: Ownership
    }
    let database: Database
    let vault: SessionVault
    let leases: ReturnType<typeof createLeases>
    let nodes: Map<string, Node>
    let seen: LogEvent[]
    const ends: (() => Promise<void>)[] = []

    beforeEach(async () => {
      ;({ database, vault } = await openEventLog(engine))
      leases = createLeases()
      nodes = new Map()
      seen = []
    })
    afterEach(async () => {
      for (const { consumers, writer } of nodes.values()) {
        await consumers.stop()
        await writer.settled()
      }
      for (const end of ends.splice(0)) await end()
      await database.close()
    })

    async function start(name: string): Promise<Node> {
      const turns = createTurns(() => openPostgresConnection(database.main, { isPooled: false }))
      ends.push(turns.close)
      const writer = createWriter({ main: database.main, turns })
      const log = createEventLog(database, writer, declared, vault, createHorizon(database.read))
      const ownership = leases.of(name)
      ownership.watch(log.forget)
      const consumers = createTestRunner({ database, writer, log, vault, ownership })
      const handle = async (events: readonly LogEvent[]) => void seen.push(...events)
      await consumers.start({ name: 'c', batch: BATCH, handle })
      const node = { log, writer, consumers, ownership }
      nodes.set(name, node)
      return node
    }
    async function add(session: string, key: string): Promise<void> {
      const node = nodes.get(leases.ownerOf(session))
      await node?.log.append(session, [event(key)], [])
      node?.consumers.wake()
    }
    const keysOf = (session: string) =>
      seen.filter((line) => line.session === session).map(({ body }) => Number(body['key']))

    it('lose nothing and keep the order while sessions change hands', async () => {
      await start('a')
      await start('b')
      for (const session of ['s', 't']) leases.give(session, 'a')
      let moves = 0
      for (let key = 0; key < 200; key += 1) {
        await Promise.all([add('s', String(key)), add('t', String(key))])
        if (key % 17 !== 3) continue
        moves += 1
        leases.give(key % 2 ? 's' : 't', moves % 2 ? 'b' : 'a')
      }
      for (const session of ['s', 't']) {
        await eventually(() => new Set(keysOf(session)).size === 200, `all of ${session} handled`)
        const keys = keysOf(session)
        const first = keys.filter((key, i) => keys.indexOf(key) === i)
        expect(first).to.deep.equal(Array.from({ length: 200 }, (_, key) => key))
        expect(keys.length - 200, 'repeated').to.be.at.most(moves * BATCH)
      }
    })

    it('read the log of all sessions while another program has a transaction open', async () => {
      const a = await start('a')
      leases.give('s', 'a')
      await database.main.transaction(async (trx) => {
        await trx('sessions').where({ id: 't' }).update({ name: 'open' })
        await add('s', '1')
        await eventually(async () => (await a.log.after(0, 10)).length === 1, 'read')
      })
    })

    it('handle a line that is committed after one of a higher seq', async () => {
      const a = await start('a')
      const b = await start('b')
      leases.give('s', 'a')
      leases.give('t', 'b')
      let low = 0
      await a.writer.transact(async (trx) => {
        const [row] = await trx('events')
          .insert({
            ...{
              id: 'evt_low',
              session: 's',
              class: 'Message',
              type: 'Thing',
              lane: '',
              time: '',
              logged: 1,
            },
            body: vault.seal('s', 'events/evt_low', JSON.stringify({ key: '1' })),
          })
          .returning('seq')
        low = Number(row.seq)
        await add('t', '2')
        await eventually(() => keysOf('t').length === 1, 'the higher one is handled')
        expect(await b.log.after(0, 10), 'one may come before it').to.deep.equal([])
      })
      await eventually(async () => (await b.log.after(0, 10)).length === 2, 'both are read, in order')
      // The process whose commit was late looks for it when it takes the session up again.
      leases.give('s', 'b')
      await eventually(() => keysOf('s').length === 1, 'the lower one is handled')
      expect(low).to.be.lessThan(seen[0]?.seq ?? 0)
      expect(b.consumers.lag()).to.deep.equal({ c: 0 })
    })

    it('read a session from the table where another process has logged lines of it', async () => {
      const a = await start('a')
      await start('b')
      const read = async (seq: number) =>
        (await a.log.after(seq, 10, { session: 's' })).map(({ body }) => Number(body['key']))
      leases.give('s', 'a')
      await add('s', '1')
      await add('s', '2')
      const [first] = await a.log.after(0, 1, { session: 's' })
      leases.give('s', 'b')
      await add('s', '3')
      expect(await read(first?.seq ?? 0)).to.deep.equal([2, 3])
      leases.give('s', 'a')
      await add('s', '4')
      expect(await read(first?.seq ?? 0)).to.deep.equal([2, 3, 4])
    })
  })
}
