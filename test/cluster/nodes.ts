import { freePort } from '../../config/build/port.ts'
import { loadConfig } from '../../config/load.ts'
import type { GatewayOptions } from '../../kernel/gateway.ts'
import type { Plugin } from '../../kernel/plugin.ts'
import { everyEngine } from '../support/databases.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { type LinkedSession, linkPhone } from '../support/sessions.ts'

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
  /** Address that it announces; its own when absent. */
  url?: string
  /** Plugins of the test's own. */
  extra?: readonly Plugin[]
  /** Settings of the driver beside its network. */
  driver?: Record<string, unknown>
  /** Settings of other plugins by name. */
  settings?: Readonly<Record<string, Record<string, unknown>>>
  /** Settings of the gateway. */
  limits?: Partial<GatewayOptions>
  /** Plugins to leave out. */
  without?: readonly string[]
  /** Where it listens; a free port when absent. */
  port?: number
}

/** A node in this process, started. */
export async function startNode({
  name,
  card,
  database,
  leaseMs = 3_000,
  url,
  extra = [],
  driver = {},
  settings = {},
  limits = {},
  without = [],
  ...place
}: NodeOptions): Promise<TestGateway> {
  const port = place.port ?? (await freePort())
  const config = { name, url: url ?? `http://127.0.0.1:${port}`, secret: SECRET, leaseMs }
  const { plugins } = await loadConfig(
    {},
    {
      ...Object.fromEntries(without.map((plugin) => [plugin, false])),
      ...Object.fromEntries(Object.entries(settings).map(([plugin, given]) => [plugin, { config: given }])),
      cluster: { config },
      baileys: { config: { network: card, ...driver } },
    },
  )
  const listed = [...plugins, ...extra.map((plugin) => ({ plugin }))]
  const gateway = testGateway({
    plugins: listed,
    port,
    ...limits,
    ...database,
    dataDir: everyEngine[0]?.fresh().dataDir ?? '',
  })
  await gateway.start()
  return gateway
}

/** Two nodes of one cluster. */
export interface Pair {
  readonly loose: LooseNetwork
  /** Serves the session. */
  readonly owner: TestGateway
  readonly other: TestGateway
  readonly session: LinkedSession
  stop(): Promise<void>
}

/** @param fields of the session */
export async function startPair(
  database: NodeOptions['database'],
  fields: Record<string, unknown> = {},
): Promise<Pair> {
  const loose = await startNetwork()
  const owner = await startNode({ name: 'a', card: loose.card, database })
  const session = await linkPhone(owner, await loose.phones.create({ name: 'Ana' }), fields)
  const other = await startNode({ name: 'b', card: loose.card, database })
  return {
    loose,
    owner,
    other,
    session,
    async stop() {
      await Promise.all([owner.stop(), other.stop()])
      await loose.network.close()
    },
  }
}
