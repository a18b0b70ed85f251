import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { adminTokenOf } from '../../../../config/admin-token.ts'
import { masterKeysOf } from '../../../../config/master-keys.ts'
import { openDatabase } from '../../../../kernel/db/engines/open.ts'
import { temporaryFolder } from '../../../support/databases.ts'

/** Files by name, with their modes. */
function modesIn(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  )
}

describe('files of the data folder', () => {
  let umask: number
  before(() => {
    umask = process.umask(0o022)
  })
  after(() => process.umask(umask))

  const PRIVATE = {
    'admin-token': '600',
    'master-key': '600',
    'wamux.sqlite': '600',
    'wamux.sqlite-shm': '600',
    'wamux.sqlite-wal': '600',
    'wamux.sqlite.lock': '600',
    'wamux.sqlite.lock-journal': '600',
  }

  const run = async (dataDir: string): Promise<Record<string, string>> => {
    adminTokenOf({ dataDir })
    masterKeysOf({ dataDir })
    const database = await openDatabase({ dataDir })
    await database.main.schema.createTable('kernel_probe', (table) => table.integer('a'))
    const modes = modesIn(dataDir)
    await database.close()
    return modes
  }

  it('are readable by their owner only, also under a loose umask', async () => {
    expect(await run(temporaryFolder())).to.deep.equal(PRIVATE)
  })

  it('become so where an earlier version made them readable by others', async () => {
    const dataDir = temporaryFolder()
    for (const name of ['wamux.sqlite', 'wamux.sqlite.lock']) {
      writeFileSync(join(dataDir, name), '')
      chmodSync(join(dataDir, name), 0o644)
    }
    expect(await run(dataDir)).to.deep.equal(PRIVATE)
  })
})
