import { expect } from 'chai'
import type { Knex } from 'knex'
import type { Database } from '../../../kernel/db/database.ts'
import { migrate } from '../../../kernel/db/migrate.ts'
import { pluginDb } from '../../../kernel/db/plugin-db.ts'
import { createWriter, type Writer } from '../../../kernel/db/writer.ts'
import { createLeases, type Leases } from '../../../plugins/cluster/leases.ts'
import { migrations } from '../../../plugins/cluster/migrations.ts'
import { createNodeLeases, type NodeLeases } from '../../../plugins/cluster/ownership.ts'
import { everyEngine } from '../../support/databases.ts'
import { openEventLog, silent } from '../../support/events/event-log.ts'
import { eventually } from '../../support/eventually.ts'

const postgres = everyEngine.find(({ name }) => name === 'PostgreSQL')

describe('leases of several sessions', () => {
  const sessions = ['a', 's', 't']
  let database: Database
  let leases: Leases
  let writer: Writer

  before(async function () {
    if (!postgres) return this.skip()
    ;({ database } = await openEventLog(postgres))
    const { main } = database
    await migrate(main, 'cluster', migrations)
    await main('sessions').insert({ ...(await main('sessions').first()), id: 'a', token_mac: 'a' })
    const client = await main.client.acquireRawConnection()
    const query = async (text: string, values: readonly unknown[] = []) =>
      (await client.query(text, [...values])).rows
    leases = createLeases({ query }, 'node', 15_000)
    const db = pluginDb(database, createWriter(database), 'cluster')
    const parts = { leases, node: 'node', leaseMs: 15_000, db, log: silent }
    const held: NodeLeases = createNodeLeases({ ...parts, notify: async () => undefined })
    await held.claimSome(3, [])
    writer = createWriter({ ...database, ownership: () => held })
  })
  after(() => database?.close())

  async function waiting(count: number): Promise<void> {
    const blocked = (): Promise<{ rows: unknown[] }> =>
      database.main.raw(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%cluster_%'",
      )
    await eventually(async () => (await blocked()).rows.length === count, `${count} wait for a lease`)
  }

  /** While a lease in the middle is locked, the renewal begins and then `work`; both must end when it is free. */
  async function besideRenewal(work: () => Promise<unknown>): Promise<void> {
    const both: Promise<unknown>[] = []
    await database.main.transaction(async (trx) => {
      await trx('cluster_leases').where({ session: 's' }).forUpdate()
      both.push(leases.renew(sessions))
      await waiting(1)
      both.push(work())
      await waiting(2)
    })
    const settled = await Promise.allSettled(both)
    expect(settled.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled'])
  }

  it('are locked in one order by their renewal and by a transaction that writes rows of all', () =>
    besideRenewal(() => {
      const rows = [...sessions].reverse().map((session) => ({ consumer: 'c', session, seq: 1 }))
      return writer.write([{ table: 'lanes', key: ['consumer', 'session'], mode: 'put', rows }])
    }))

  it('are locked in one order by their renewal and where they are given away', async () => {
    // In the order in which their links have ended.
    const given = [...sessions].reverse().map((session) => ({ session, epoch: 1 }))
    const release = async (trx: Knex.Transaction): Promise<void> => {
      const client = await trx.client.acquireConnection()
      await leases.release((text, values) => client.query(text, [...values]), given)
    }
    await besideRenewal(() => database.main.transaction(release))
    expect(await leases.renew(sessions)).to.deep.equal([])
  })
})
