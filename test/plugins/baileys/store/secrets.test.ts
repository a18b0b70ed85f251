import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { migrate } from '../../../../kernel/db/migrate.ts'
import { pluginDb } from '../../../../kernel/db/plugin-db.ts'
import { migrations } from '../../../../plugins/baileys/migrations.ts'
import { createSecrets, type Kept } from '../../../../plugins/baileys/store/secrets.ts'
import { everyEngine } from '../../../support/databases.ts'
import { openEventLog } from '../../../support/events/event-log.ts'

for (const engine of everyEngine)
  describe(`the secrets of messages on ${engine.name}`, () => {
    it('are found while they are being committed', async () => {
      const { database, writer, vault } = await openEventLog(engine)
      await migrate(database.main, 'baileys', migrations)
      const db = pluginDb(database, writer, 'baileys')
      const secrets = createSecrets(db, vault, 's')
      const kept: Kept = {
        message: 'M1',
        chat: '120363000000000001@g.us',
        authors: ['5511900000001@s.whatsapp.net'],
        secrets: [randomBytes(32)],
        until: Date.now() + 60_000,
      }
      const write = secrets.keep(kept, 'add')
      // The query does not see the row yet, and the commit ends before its answer is here.
      const found = secrets.find('M1')
      secrets.committed([kept])
      expect((await found).map(({ message }) => message)).to.deep.equal(['M1'])
      await db.write([write])
      expect(await secrets.find('M1')).to.deep.equal([kept])
      await database.close()
    })
  })
