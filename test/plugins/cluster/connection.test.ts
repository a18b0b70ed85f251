import { expect } from 'chai'
import { openDatabase } from '../../../kernel/db/engines/open.ts'
import { createConnection } from '../../../plugins/cluster/connection.ts'
import { startPostgresProxy } from '../../storage/postgres-proxy.ts'
import { everyEngine, temporaryFolder } from '../../support/databases.ts'
import { silent } from '../../support/events/event-log.ts'

describe('the connection of a node', () => {
  it('says that the database does not answer, wherever its opening is cut off', async function () {
    const { databaseUrl, databaseSchema: schema } = everyEngine[1]?.fresh() ?? {}
    if (!databaseUrl) return this.skip()
    const proxy = await startPostgresProxy(databaseUrl)
    const database = await openDatabase({
      url: proxy.url,
      schema,
      dataDir: temporaryFolder(),
      isShared: true,
    })
    const db = { direct: database.direct } as Parameters<typeof createConnection>[0]['db']
    const codes = new Set<string>()
    for (let bytes = 0; bytes < 900; bytes += 30) {
      const connection = createConnection({ db, log: silent, timeoutMs: 2_000, onNotify: () => undefined })
      // Connections that are opened after it are cut as well.
      proxy.cutAfter(bytes, true)
      const outcome = await connection.query('SELECT 1').then(
        () => 'answered',
        ({ code }: { code: string }) => code,
      )
      codes.add(outcome)
      proxy.cutAfter(Number.POSITIVE_INFINITY, true)
      await connection.close()
    }
    expect([...codes].sort()).to.deep.equal(['STORAGE_UNAVAILABLE', 'answered'])
    await database.close()
    await proxy.close()
  })
})
