import { join } from 'node:path'
import { expect } from 'chai'
import { backUp } from '../../../config/cli/backup/backup.ts'
import metrics from '../../../plugins/metrics/index.ts'
import { everyEngine, temporaryFolder } from '../../support/databases.ts'
import { ADMIN, startedGateway } from '../../support/gateway.ts'
import { readMetrics } from '../../support/metrics.ts'

const BACKUP = 'wamux_last_backup_timestamp_seconds'

for (const engine of everyEngine)
  describe(`metrics of the disk on ${engine.name}`, () => {
    it('show the size of the database, and when it was last copied', async () => {
      const place = engine.fresh()
      const gateway = await startedGateway({ plugins: [{ plugin: metrics }], ...place }, engine)
      const read = () => readMetrics(gateway.url, { admintoken: ADMIN })
      const before = await read()
      expect(before.value('wamux_database_bytes')).to.be.greaterThan(10_000)
      expect(before.value(BACKUP)).to.equal(undefined)
      if (engine.name === 'SQLite') {
        const began = Math.floor(Date.now() / 1000)
        await backUp(place.dataDir, join(temporaryFolder(), 'copy.sqlite'))
        expect((await read()).value(BACKUP)).to.be.within(began, began + 60)
      }
      await gateway.stop()
    })
  })
