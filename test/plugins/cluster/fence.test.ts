import { expect } from 'chai'
import type { Database } from '../../../kernel/db/database.ts'
import { migrate } from '../../../kernel/db/migrate.ts'
import { pluginDb } from '../../../kernel/db/plugin-db.ts'
import { createWriter, type Writer } from '../../../kernel/db/writer.ts'
import type { Write } from '../../../kernel/types/storage.ts'
import { createLeases, type Leases } from '../../../plugins/cluster/leases.ts'
import { migrations } from '../../../plugins/cluster/migrations.ts'
import { createNodeLeases, type NodeLeases } from '../../../plugins/cluster/ownership.ts'
import { everyEngine } from '../../support/databases.ts'
import { openEventLog, silent } from '../../support/events/event-log.ts'

const postgres = everyEngine.find(({ name }) => name === 'PostgreSQL')
const LEASE_MS = 15_000
/** The shortest that can be set: a claim on a busy machine must end within two thirds of it. */
const SHORT_LEASE_MS = 1_500

describe('the fence of the writer', () => {
  let database: Database
  let writer: Writer
  const held: NodeLeases[] = []
  const leases: Leases[] = []

  before(async function () {
    if (!postgres) return this.skip()
    ;({ database } = await openEventLog(postgres))
    await migrate(database.main, 'cluster', migrations)
    const query = async (text: string, values: readonly unknown[] = []) => {
      const client = await database.main.client.acquireRawConnection()
      return client
        .query(text, values)
        .finally(() => client.end())
        .then(({ rows }: { rows: never[] }) => rows)
    }
    const db = pluginDb(database, createWriter(database), 'cluster')
    for (const node of ['a', 'b']) {
      const own = createLeases({ query }, node, LEASE_MS)
      leases.push(own)
      held.push(
        createNodeLeases({
          leases: own,
          node,
          leaseMs: LEASE_MS,
          db,
          log: silent,
          notify: async () => undefined,
        }),
      )
    }
    writer = createWriter({ ...database, ownership: () => held[0] as NodeLeases })
  })
  after(() => database?.close())

  let count = 0
  const eventOf = (session: string): Write => {
    count += 1
    const row = { session, class: 'x', type: 'x', lane: 'x', time: '', body: Buffer.alloc(0), logged: 0 }
    return { table: 'events', key: ['id'], mode: 'add', rows: [{ id: `e${count}`, ...row }] }
  }
  const outcomes = async (sessions: string[], isFromAnyNode = false): Promise<string[]> => {
    const all = sessions.map((session) => writer.write([eventOf(session)], { isFromAnyNode }))
    const settled = await Promise.allSettled(all)
    return settled.map((one) => (one.status === 'fulfilled' ? 'committed' : one.reason.code))
  }

  it('commits what belongs to sessions of this process, and nothing else', async () => {
    expect(await outcomes(['s', 't'])).to.deep.equal(['FENCED', 'FENCED'])
    expect(await held[0]?.claim('s')).to.equal(true)
    expect(await outcomes(['s', 't', 's'])).to.deep.equal(['committed', 'FENCED', 'committed'])
    expect(await outcomes(['t'], true)).to.deep.equal(['committed'])
  })

  it('refuses the writes of an owner that does not know yet that another one has taken over', async () => {
    await held[0]?.claim('t')
    await database.main('cluster_renewals').update({ expires: '2000-01-01' })
    expect(await held[1]?.claim('s')).to.equal(true)
    expect(held[0]?.owns('s')).to.equal(true)
    // In one turn: the session that is lost does not fail the other one.
    expect(await outcomes(['s', 't', 's', 't'])).to.deep.equal(['FENCED', 'committed', 'FENCED', 'committed'])
    const work = writer.transact((trx) => trx('events').del(), { session: 's' })
    expect(await work.catch(({ code }: { code: string }) => code)).to.equal('FENCED')
    await held[0]?.renew()
    expect(held[0]?.owns('s')).to.equal(false)
  })

  it('holds nothing after the event loop was blocked for too long, before any timer has run', async () => {
    const leaseMs = SHORT_LEASE_MS
    const parts = { leases: leases[0] as Leases, node: 'a', db: pluginDb(database, writer, 'cluster') }
    const own = createNodeLeases({ ...parts, leaseMs, log: silent, notify: async () => undefined })
    await database.main('cluster_renewals').update({ expires: '2000-01-01' })
    expect(await own.claim('s')).to.equal(true)
    expect([own.owns('s'), own.holds('s')]).to.deep.equal([true, true])
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, leaseMs)
    expect([own.owns('s'), own.holds('s')]).to.deep.equal([false, false])
    expect(() => own.fence('s'))
      .to.throw()
      .with.property('code', 'FENCED')
  })

  it('reports that a session was lost, and does not get it back silently, when it was renewed too late', async () => {
    const leaseMs = SHORT_LEASE_MS
    const parts = { leases: leases[0] as Leases, node: 'a', db: pluginDb(database, writer, 'cluster') }
    const own = createNodeLeases({ ...parts, leaseMs, log: silent, notify: async () => undefined })
    const changes: boolean[] = []
    own.watch((_, isOwned) => void changes.push(isOwned))
    await database.main('cluster_renewals').update({ expires: '2000-01-01' })
    await own.claimSome(1, ['s'])
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, leaseMs)
    // What comes while it is not held is left out, so it must be claimed anew.
    expect(own.owns('s')).to.equal(false)
    await own.renew()
    expect([own.owns('s'), ...changes]).to.deep.equal([false, true, false])
    expect(await own.claim('s')).to.equal(true)
    expect([own.owns('s'), ...changes]).to.deep.equal([true, true, false, true])
  })

  it('makes a take-over wait for a commit that is under way', async () => {
    await database.main('cluster_renewals').update({ expires: '2000-01-01' })
    await writer.transact(async () => expect(await held[1]?.claim('t')).to.equal(false), { session: 't' })
    expect(await held[1]?.claim('t')).to.equal(true)
  })
})
