import { loadConfig } from '../../config/load.ts'
import type { Plugin } from '../../kernel/plugin.ts'
import { everyEngine } from '../support/databases.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { freePort } from '../support/servers/port.ts'

export const SECRET = 'a-secret-of-the-nodes-of-this-cluster'

/** Where nodes of one cluster store; undefined without a PostgreSQL server. */
export function clusterDatabase(): { databaseUrl: string; databaseSchema: string } | undefined {
  const { databaseUrl, databaseSchema } = everyEngine.find(({ name }) => name === 'PostgreSQL')?.fresh() ?? {}
  return databaseUrl && databaseSchema ? { databaseUrl, databaseSchema } : undefined
}

export interface NodeOptions {
  name: string
  /** Card of the network. */
  card: string
  database: { databaseUrl: string; databaseSchema?: string; databaseDirectUrl?: string }
  leaseMs?: number
  /** Plugins of the test's own. */
  extra?: readonly Plugin[]
}

/** A node in this process, started. */
export async function startNode({
  name,
  card,
  database,
  leaseMs = 3_000,
  extra = [],
}: NodeOptions): Promise<TestGateway> {
  const port = await freePort()
  const config = { name, url: `http://127.0.0.1:${port}`, secret: SECRET, leaseMs }
  const { plugins } = await loadConfig({}, { cluster: { config }, baileys: { config: { network: card } } })
  const listed = [...plugins, ...extra.map((plugin) => ({ plugin }))]
  const gateway = testGateway({
    plugins: listed,
    port,
    ...database,
    dataDir: everyEngine[0]?.fresh().dataDir ?? '',
  })
  await gateway.start()
  return gateway
}
