import { expect } from 'chai'
import { migrate } from '../../../../kernel/db/migrate.ts'
import { pluginDb } from '../../../../kernel/db/plugin-db.ts'
import { migrations } from '../../../../plugins/baileys/migrations.ts'
import { createCodec } from '../../../../plugins/baileys/store/codec.ts'
import { createInbox } from '../../../../plugins/baileys/store/inbox.ts'
import { createOutboxes } from '../../../../plugins/baileys/store/outboxes.ts'
import { createOutgoing } from '../../../../plugins/baileys/store/outgoing.ts'
import { everyEngine } from '../../../support/databases.ts'
import { openEventLog } from '../../../support/events/event-log.ts'

const SESSION = 's'

for (const engine of everyEngine)
  describe(`messages that are not done, ${engine.name}`, () => {
    it('are found by indexes that leave out those that are', async () => {
      const { database, writer, vault } = await openEventLog(engine)
      await migrate(database.main, 'baileys', migrations)
      const db = pluginDb(database, writer, 'baileys')
      const codec = createCodec(vault, SESSION)
      const outgoing = createOutgoing(db, codec, SESSION)
      const searches = {
        baileys_outgoing_unsent: [
          () => outgoing.queued(),
          () => outgoing.unfinished(),
          () => createOutboxes({ db }).depths([SESSION]),
        ],
        baileys_outgoing_unsettled: [() => outgoing.unsettled(10)],
        baileys_inbox_open: [() => createInbox(db, codec, SESSION).unfinished()],
      }
      const queries: { sql: string; bindings: readonly unknown[] }[] = []
      database.read.on('query', (query) => queries.push(query))
      for (const [index, all] of Object.entries(searches))
        for (const search of all) {
          queries.length = 0
          await search()
          const [query] = [...queries]
          if (!query) throw new Error('no query')
          expect(await planOf(query)).to.include(index)
        }
      await database.close()

      async function planOf({ sql, bindings }: (typeof queries)[number]): Promise<string> {
        const text = sql.replace(/\$\d+/g, '?')
        const explain = database.dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN (FORMAT JSON)'
        return database.main.transaction(async (trx) => {
          // PostgreSQL reads an empty table without any index.
          if (database.dialect !== 'sqlite') await trx.raw('SET LOCAL enable_seqscan = off')
          return JSON.stringify(await trx.raw(`${explain} ${text}`, [...bindings] as string[]))
        })
      }
    })
  })
