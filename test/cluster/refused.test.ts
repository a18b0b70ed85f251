import { expect } from 'chai'
import { freePort } from '../../config/build/port.ts'
import { openImporter } from '../../config/cli/import/importer.ts'
import { copyDatabase } from '../../config/cli/transfer/copy.ts'
import { loadConfig } from '../../config/load.ts'
import { migrations } from '../../migrations/index.ts'
import { temporaryFolder } from '../support/databases.ts'
import { KEYS, startedGateway, type TestGateway } from '../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { admin } from '../support/sessions.ts'
import { clusterDatabase, SECRET, startNode } from './nodes.ts'

describe('beside a live node', () => {
  const database = clusterDatabase()
  let loose: LooseNetwork
  let node: TestGateway

  before(async function () {
    if (!database) return this.skip()
    loose = await startNetwork()
    node = await startNode({ name: 'a', card: loose.card, database })
  })
  after(async () => {
    await node?.stop()
    await loose?.network.close()
  })

  const codeOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'done',
      (error: { code: string }) => error.code,
    )

  it('a node with other master keys is refused, by an error that names the setting', async () => {
    const port = await freePort()
    const config = { name: 'b', url: `http://127.0.0.1:${port}`, secret: SECRET, leaseMs: 3_000 }
    const { plugins } = await loadConfig({}, { cluster: { config } })
    const keys = `k1:${Buffer.alloc(32, 9).toString('base64')}`
    const refusal = await startedGateway({ plugins, port, ...(database as object), keys }).catch(
      (error: Error) => error,
    )
    expect(refusal)
      .to.have.property('message')
      .that.matches(/node a has different master keys.*WAMUX_KEYS/)
    const { data } = await node.get('/server/nodes', admin)
    expect(data.map(({ Name }: { Name: string }) => Name)).to.deep.equal(['a'])
  })

  it('no command changes or copies the database', async () => {
    const from = { url: database?.databaseUrl, schema: database?.databaseSchema, dataDir: temporaryFolder() }
    const importing = openImporter({
      ...from,
      masterKeys: () => KEYS,
      allowWeakTokens: true,
      network: 'sandbox',
    })
    expect(await codeOf(importing)).to.equal('DATABASE_LOCKED')
    const empty = { dataDir: temporaryFolder() }
    const copies = [
      copyDatabase({ from, to: empty, migrations: { kernel: migrations }, onProgress: () => undefined }),
    ]
    for (const copy of copies) expect(await codeOf(copy)).to.equal('DATABASE_LOCKED')
  })
})
