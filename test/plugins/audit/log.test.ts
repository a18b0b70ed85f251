import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Database } from '../../../kernel/db/database.ts'
import { migrate } from '../../../kernel/db/migrate.ts'
import { pluginDb } from '../../../kernel/db/plugin-db.ts'
import { createWriter } from '../../../kernel/db/writer.ts'
import { type AuditLog, createAuditLog } from '../../../plugins/audit/log.ts'
import { migrations } from '../../../plugins/audit/migrations.ts'
import { everyEngine, openFresh } from '../../support/databases.ts'

const entry = (target: string) => ({
  actor: 'admin',
  address: '203.0.113.1',
  action: 'session.delete',
  target,
  result: 'ok',
  leaves: '',
  request: 'r',
})

const auditOf = (database: Database): AuditLog =>
  createAuditLog({ db: pluginDb(database, createWriter(database), 'audit') })

for (const engine of everyEngine) {
  describe(`audit log on ${engine.name}`, () => {
    let database: Database
    let audit: AuditLog
    beforeEach(async () => {
      database = await openFresh(engine)
      await migrate(database.main, 'audit', migrations)
      audit = auditOf(database)
      await Promise.all(['a', 'b', 'c', 'd', 'e'].map((target) => audit.record(entry(target))))
    })
    afterEach(() => database.close())

    const rows = () => database.main('audit_log')
    /** Moves the first three rows into last year, with hashes that are right for it. */
    const age = async (): Promise<void> => {
      const { hashOf, toChainedRow } = await import('../../../plugins/audit/chain.ts')
      let before = ''
      for (const row of await rows().orderBy('seq')) {
        const time = Number(row.seq) <= 3 ? '2020-01-01T00:00:00.000Z' : row.time
        const hash = hashOf({ ...toChainedRow(row), time, before })
        await rows().where({ seq: row.seq }).update({ time, before, hash })
        before = hash
      }
    }

    it('chains all recorded entries in order, page by page', async () => {
      const first = await audit.after(0, 3)
      expect(first.map(({ seq, target }) => `${seq}${target}`)).to.deep.equal(['1a', '2b', '3c'])
      expect((await audit.after(3, 10)).map(({ target }) => target)).to.deep.equal(['d', 'e'])
      const last = (await audit.after(4, 1))[0]
      expect(await audit.verify()).to.deep.equal({ isWhole: true, rows: 5, hash: last?.hash })
    })

    const tampered: readonly [what: string, tamper: () => Promise<unknown>, at: number, why: string][] = [
      ['a changed row', () => rows().where({ seq: 3 }).update({ target: 'z' }), 3, 'it was changed'],
      ['a missing row', () => rows().where({ seq: 3 }).del(), 4, 'row 3 is missing'],
      ['a missing beginning', () => rows().where('seq', '<', 3).del(), 3, 'the rows before it are missing'],
      [
        'a beginning that was made to look like one',
        async () => {
          await rows().where('seq', '<', 3).del()
          await rows().where({ seq: 3 }).update({ before: '' })
        },
        3,
        'the rows before it are missing',
      ],
      [
        'a row with a hash of its own',
        async () => {
          const { hashOf, toChainedRow } = await import('../../../plugins/audit/chain.ts')
          const row = { ...(await rows().where({ seq: 3 }).first()), target: 'z' }
          await rows()
            .where({ seq: 3 })
            .update({ target: 'z', hash: hashOf(toChainedRow(row)) })
        },
        4,
        'it does not continue the previous row',
      ],
    ]
    for (const [what, tamper, brokenAt, why] of tampered) {
      it(`detects ${what}`, async () => {
        await tamper()
        expect(await audit.verify()).to.include({ isWhole: false, brokenAt, why })
      })
    }

    it('deletes old rows with a record in the valid chain, and detects any other deletion', async () => {
      await age()
      await audit.prune(new Date('2020-06-01'))
      const left = await audit.after(0, 10)
      expect(left.map(({ seq, action }) => `${seq} ${action}`)).to.deep.equal([
        '4 session.delete',
        '5 session.delete',
        '6 audit.dropped',
      ])
      expect(await audit.verify()).to.include({ isWhole: true, rows: 3 })
      await audit.prune(new Date('2020-06-01'))
      expect(await audit.after(6, 10)).to.deep.equal([])
      await rows().where({ seq: 4 }).del()
      expect(await audit.verify()).to.include({ isWhole: false, brokenAt: 5 })
    })

    if (engine.name === 'PostgreSQL')
      it('waits for another process that appends, while other writes go on', async () => {
        const writer = createWriter(database)
        audit = createAuditLog({ db: pluginDb(database, writer, 'audit') })
        const other = await database.main.transaction()
        await other.raw('SELECT pg_advisory_xact_lock(7365001)')
        const recorded = audit.record(entry('f'))
        const written = writer.transact((trx) => trx.raw('SELECT 1')).then(() => 'written')
        const outcome = await Promise.race([written, wait(1_000, 'it waits')])
        await other.commit()
        await recorded
        expect(outcome).to.equal('written')
        expect(await audit.verify()).to.include({ isWhole: true, rows: 6 })
      })

    it('continues the chain after all rows were deleted', async () => {
      await audit.prune(new Date(Date.now() + 60_000))
      await audit.record(entry('f'))
      expect((await audit.after(0, 10)).map(({ seq }) => seq)).to.deep.equal([6, 7])
      expect(await audit.verify()).to.include({ isWhole: true, rows: 2 })
    })
  })
}
