import { expect } from 'chai'
import type { Database } from '../../../kernel/db/database.ts'
import { migrate } from '../../../kernel/db/migrate.ts'
import { pluginDb } from '../../../kernel/db/plugin-db.ts'
import { createWriter, type Writer } from '../../../kernel/db/writer.ts'
import { createLeases, type Leases } from '../../../plugins/cluster/leases.ts'
import { migrations } from '../../../plugins/cluster/migrations.ts'
import { createNodes, type Nodes } from '../../../plugins/cluster/nodes.ts'
import { createNodeLeases, type NodeLeases } from '../../../plugins/cluster/ownership.ts'
import { everyEngine } from '../../support/databases.ts'
import { openEventLog, silent } from '../../support/events/event-log.ts'
import { eventually } from '../../support/eventually.ts'

const postgres = everyEngine.find(({ name }) => name === 'PostgreSQL')

describe('leases of several sessions', () => {
  const sessions = ['a', 's', 't']
  let database: Database
  let client: { query(text: string, values: unknown[]): Promise<{ rows: never[] }>; end(): Promise<void> }
  const query = async (text: string, values: readonly unknown[] = []) =>
    (await client.query(text, [...values])).rows
  let nodes: Nodes
  let leases: Leases
  let writer: Writer

  before(async function () {
    if (!postgres) return this.skip()
    ;({ database } = await openEventLog(postgres))
    const { main } = database
    await migrate(main, 'cluster', migrations)
    await main('sessions').insert({ ...(await main('sessions').first()), id: 'a', token_mac: 'a' })
    client = await main.client.acquireRawConnection()
    const self = { id: 'node', name: 'node', url: 'http://node', version: '1', keyCheck: Buffer.alloc(0) }
    nodes = createNodes({ query }, self, 15_000)
    await nodes.beat()
    leases = createLeases({ query }, 'node', 15_000)
    const db = pluginDb(database, createWriter(database), 'cluster')
    const parts = { leases, node: 'node', leaseMs: 15_000, db, log: silent }
    const held: NodeLeases = createNodeLeases({ ...parts, notify: async () => undefined })
    await held.claimSome(3, [])
    writer = createWriter({ ...database, ownership: () => held })
  })
  after(async () => {
    await client?.end()
    await database?.close()
  })

  async function waiting(count: number): Promise<void> {
    const blocked = (): Promise<{ rows: unknown[] }> =>
      database.main.raw(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%cluster_%'",
      )
    await eventually(async () => (await blocked()).rows.length === count, `${count} wait for a lease`)
  }

  /** While a lease in the middle is locked, both begin to wait; both must end when it is free. */
  async function besides(works: readonly (() => Promise<unknown>)[]): Promise<void> {
    const all: Promise<unknown>[] = []
    await database.main.transaction(async (trx) => {
      await trx('cluster_leases').where({ session: 's' }).forUpdate()
      for (const work of works) {
        all.push(work())
        await waiting(all.length)
      }
    })
    const settled = await Promise.allSettled(all)
    expect(settled.map(({ status }) => status)).to.deep.equal(works.map(() => 'fulfilled'))
  }

  const write = (): Promise<unknown> => {
    const rows = [...sessions].reverse().map((session) => ({ consumer: 'c', session, seq: 1 }))
    return writer.write([{ table: 'cursors', key: ['consumer', 'session'], mode: 'put', rows }])
  }
  const releaseAll = (): Promise<void> => {
    // In the order in which their links have ended.
    const given = [...sessions].reverse().map((session) => ({ session, epoch: 1 }))
    return database.main.transaction(async (trx) => {
      const client = await trx.client.acquireConnection()
      await leases.release((text, values) => client.query(text, [...values]), given)
    })
  }

  it('are extended while their rows and those of their node are locked', async () => {
    await database.main.transaction(async (trx) => {
      for (const table of ['cluster_leases', 'cluster_nodes', 'cluster_renewals', 'sessions'])
        await trx(table).forUpdate()
      for (let i = 0; i < 3; i += 1)
        expect((await leases.renew()).map(({ session }) => session).sort()).to.deep.equal(sessions)
      await nodes.beat()
      expect(await leases.claim({ limit: 3, held: [] })).to.deep.equal([])
    })
    await leases.renew()
    expect(await database.main('cluster_renewals')).to.have.length(1)
  })

  it('are locked in one order by a transaction that writes rows of all and where they are given away', () =>
    besides([write, releaseAll]))

  it("are nobody's after they were given away", async () => {
    expect(await leases.renew()).to.deep.equal([])
    expect(await leases.claim({ limit: 3, held: [] })).to.have.length(3)
  })

  it('are claimed by another node only when the lease of theirs has ended', async () => {
    const heir = createLeases({ query }, 'heir', 15_000)
    expect(await heir.claim({ limit: 3, held: [] })).to.deep.equal([])
    await database.main('cluster_renewals').where({ node: 'node' }).update({ expires: '2000-01-01' })
    const held = (await heir.claim({ limit: 2, held: [] })).map(({ session }) => session)
    expect(held).to.have.length(2)
    expect(await leases.renew()).to.have.length(1)
    expect(await heir.claim({ limit: 2, held })).to.deep.equal([])
  })

  it('say whose transaction keeps them from being claimed', async () => {
    const heir = createLeases({ query }, 'next', 15_000)
    await database.main('cluster_renewals').del()
    await database.main.transaction(async (trx) => {
      await trx.raw("SET LOCAL application_name = 'a long report'")
      const { rows } = await trx.raw('SELECT pg_backend_pid() AS pid')
      await trx('cluster_leases').where({ session: 's' }).forShare()
      expect((await heir.claim({ limit: 3, held: [] })).map(({ session }) => session).sort()).to.deep.equal([
        'a',
        't',
      ])
      const [holder, ...others] = await heir.holders()
      expect(others).to.deep.equal([])
      expect(holder).to.include({ session: 's', pid: rows[0].pid, application: 'a long report' })
    })
    expect(await heir.claim({ limit: 3, held: ['a', 't'] })).to.have.length(1)
  })

  it('are given back by a node that drains, also those that it has lost sight of', async () => {
    const rows = (): Promise<unknown[]> => database.main('cluster_leases').where({ node: 'next' })
    expect(await rows()).to.have.length(3)
    const next = createLeases({ query }, 'next', 15_000)
    const db = pluginDb(database, createWriter(database), 'cluster')
    const parts = { leases: next, node: 'next', leaseMs: 15_000, db, log: silent }
    await createNodeLeases({ ...parts, notify: async () => undefined }).drain()
    expect(await rows()).to.deep.equal([])
  })
})
