import { expect } from 'chai'
import { openDatabase } from '../../../../kernel/db/engines/open.ts'
import { limitsOf } from '../../../../kernel/db/engines/postgres-limits.ts'
import { createWriter } from '../../../../kernel/db/writer.ts'
import { hasPgBouncer, startPgBouncer } from '../../../cluster/pgbouncer.ts'
import { connected, everyEngine } from '../../../support/databases.ts'

const LEASE_MS = 1_500
const limits = limitsOf({ node: 'north', leaseMs: LEASE_MS })
const SETTINGS =
  "SELECT current_setting('application_name') AS name, current_setting('lock_timeout') AS lock, current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('statement_timeout') AS statement"
const EXPECTED = { name: 'wamux north', lock: '100ms', idle: '1500ms', statement: '30s' }

describe('the limits of PostgreSQL connections', () => {
  const fresh = everyEngine.find(({ name }) => name === 'PostgreSQL')?.fresh()
  const options = { url: fresh?.databaseUrl ?? '', schema: fresh?.databaseSchema, dataDir: '', limits }
  const shared = { ...options, isShared: true }
  before(function () {
    if (!fresh) this.skip()
  })

  it('are set on each connection, with the name of the node', async () => {
    const database = await openDatabase(shared)
    try {
      const { rows } = await database.main.raw(SETTINGS)
      expect(rows).to.deep.equal([EXPECTED])
      await database.main.schema.createTable('rows', (table) => table.text('id').primary())
      await createWriter(database).write([{ table: 'rows', key: ['id'], mode: 'put', rows: [{ id: '1' }] }])
      const { rows: open } = await database.main.raw(
        "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name LIKE 'wamux north%'",
      )
      expect(open[0].count, 'of the pool, the writer and the lock').to.be.above(2)
    } finally {
      await database.close()
    }
  })

  it('are set in each transaction behind a pooler', async function () {
    if (!hasPgBouncer) return this.skip()
    const pooler = await startPgBouncer(fresh?.databaseUrl ?? '')
    const database = await openDatabase({
      ...shared,
      schema: undefined,
      url: pooler.url,
      directUrl: options.url,
    })
    try {
      for (let i = 0; i < 5; i += 1)
        await database.main.transaction(async (trx) => {
          expect((await trx.raw(SETTINGS)).rows).to.deep.equal([EXPECTED])
        })
    } finally {
      await database.close()
      await pooler.stop()
    }
  })

  it('end the open transaction of a machine that has vanished', async () => {
    const database = await openDatabase(shared)
    const look = connected(options.url)
    try {
      await database.main('rows').insert({ id: 'held' })
      const vanished = await database.main.transaction()
      await vanished('rows').where({ id: 'held' }).forUpdate()
      // Waits without a limit of its own.
      await look
        .withSchema(fresh?.databaseSchema ?? '')
        .from('rows')
        .where({ id: 'held' })
        .update({ id: 'free' })
      expect(await vanished.raw('SELECT 1').catch(({ code }: { code: string }) => code)).to.equal(
        'STORAGE_UNAVAILABLE',
      )
      await vanished.rollback().catch(() => undefined)
    } finally {
      await look.destroy()
      await database.close()
    }
  })

  it('let a write of one session fail while another transaction holds its rows, and the others commit', async () => {
    const database = await openDatabase(shared)
    const writer = createWriter({
      ...database,
      ownership: () => ({
        owns: () => true,
        watch: () => () => undefined,
        fence: () => ({ text: 'SELECT 1', values: [] }),
      }),
    })
    try {
      await database.main.schema.createTable('things', (table) => {
        table.text('session').primary()
        table.integer('n')
      })
      const put = (session: string, n: number) =>
        writer.write([{ table: 'things', key: ['session'], mode: 'put', rows: [{ session, n }] }])
      await put('s', 0)
      await database.main.transaction(async (trx) => {
        await trx('things').where({ session: 's' }).forUpdate()
        const all = await Promise.allSettled(['r', 's', 't', 's'].map((session, n) => put(session, n)))
        const codes = all.map((one) => (one.status === 'fulfilled' ? 'committed' : one.reason.code))
        expect(codes).to.deep.equal(['committed', 'STORAGE_LOCKED', 'committed', 'STORAGE_LOCKED'])
      })
    } finally {
      await database.close()
    }
  })
})
