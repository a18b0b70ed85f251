import { expect } from 'chai'
import { openDatabase } from '../../../../kernel/db/engines/open.ts'
import { everyEngine } from '../../../support/databases.ts'

const HOUR_MS = 3_600_000

describe('the clock of a database', () => {
  const opened = async (index: number, isShared: boolean) => {
    const { dataDir = '', databaseUrl: url, databaseSchema: schema } = everyEngine[index]?.fresh() ?? {}
    return openDatabase({ dataDir, url, schema, isShared })
  }

  it('is that of the process on SQLite', async () => {
    const database = await opened(0, false)
    expect(database.now()).to.be.closeTo(Date.now(), 1_000)
    await database.close()
  })

  it('is that of PostgreSQL where processes share it, though the clock of one is an hour wrong', async function () {
    if (everyEngine.length < 2) return this.skip()
    const { now } = Date
    const right = now()
    Date.now = () => now() + HOUR_MS
    try {
      const database = await opened(1, true)
      expect(database.now()).to.be.closeTo(right, 60_000)
      // Set while the process runs.
      Date.now = () => now() - HOUR_MS
      expect(database.now()).to.be.closeTo(right, 60_000)
      await database.close()
    } finally {
      Date.now = now
    }
  })
})
