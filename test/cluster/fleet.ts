import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import { freePort } from '../../config/build/port.ts'
import { type Child, startChild } from '../bench/child.ts'
import { cpuOf } from '../bench/proc.ts'
import type { Client, Request } from '../bench/processes/client.ts'
import type { Network } from '../bench/processes/network.ts'
import type { Receiver } from '../bench/processes/receiver.ts'
import { connected, temporaryFolder } from '../support/databases.ts'
import { KEYS } from '../support/gateway.ts'
import { type GatewayProcess, startProcess } from '../support/process.ts'
import { createPostgres } from '../support/servers/postgres.ts'
import { admin } from '../support/sessions.ts'
import { SECRET } from './nodes.ts'

/** Nodes that are measured: a process each, as are the network, the clients and the receiver of webhooks. */
export interface Fleet {
  readonly nodes: readonly GatewayProcess[]
  readonly network: Child<Network>
  readonly client: Child<Client>
  readonly receiver: Child<Receiver>
  /** PostgreSQL, beside the nodes. */
  readonly look: Knex
  /** Links a new session by requests to a node; any of them may serve it then. */
  link(node: number): Promise<FleetSession>
  /** By session, the index of the node that serves it. */
  owners(): Promise<ReadonlyMap<string, number>>
  /** Milliseconds of processor time of all nodes. */
  nodesCpu(): number
  /** Milliseconds of processor time that the processes of PostgreSQL which serve the nodes have used since the first call. */
  databaseCpu(): Promise<number>
  close(): Promise<void>
}

export interface FleetSession {
  readonly id: string
  readonly token: string
  readonly phone: string
  /** The request that sends a text of it through a node. */
  text(node: number, to: string): Request
}

export interface FleetOptions {
  count: number
  /** Without it there is one process that has the database alone. */
  isCluster: boolean
  hasWebhooks: boolean
  /** Files of plugins beside those of the profile. */
  plugins?: readonly string[]
  /** @param nodes that listen by now. */
  onStarted?(nodes: number): void
}

export async function startFleet({
  count,
  isCluster,
  hasWebhooks,
  plugins = [],
  onStarted,
}: FleetOptions): Promise<Fleet> {
  const database = await createPostgres(process.env['TEST_DATABASE_URL'])
  const look = connected(database.url)
  const network = startChild<Network>('network')
  const client = startChild<Client>('client')
  const receiver = startChild<Receiver>('receiver')
  const [card, webhook] = [await network.call.card(), await receiver.call.url()]
  const start = async (index: number): Promise<GatewayProcess> => {
    const [port, folder] = [await freePort(), temporaryFolder()]
    const config = join(folder, 'wamux.json')
    const listed = [...plugins, ...(isCluster ? ['cluster'] : [])].map((plugin) => [plugin, true])
    writeFileSync(config, JSON.stringify({ plugins: Object.fromEntries(listed) }))
    return startProcess({
      NODE_ENV: 'production',
      WAMUX_CONFIG: config,
      WAMUX_DATA_DIR: folder,
      WAMUX_KEYS: KEYS,
      WAMUX_PORT: String(port),
      WAMUX_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      WAMUX_BAILEYS_NETWORK: card,
      ...(isCluster
        ? {
            WAMUX_CLUSTER_NAME: `node${index + 1}`,
            WAMUX_CLUSTER_URL: `http://127.0.0.1:${port}`,
            WAMUX_CLUSTER_SECRET: SECRET,
          }
        : {}),
      DATABASE_URL: database.url,
    })
  }
  const nodes: GatewayProcess[] = []
  for (let index = 0; index < count; index += 1) {
    nodes.push(await start(index))
    onStarted?.(index + 1)
  }
  const nodeOf = (index: number): GatewayProcess => nodes[index % count] as GatewayProcess
  const seen = new Map<number, number>()
  let used = 0

  return {
    ...{ nodes, network, client, receiver, look },
    async link(index) {
      const node = nodeOf(index)
      const phone = await network.call.phone()
      const fields = hasWebhooks ? { Webhook: webhook, Subscribe: ['Message'] } : {}
      const { data } = await succeed(node.post('/session/init', fields, admin))
      const headers = { token: String(data.Token) }
      // It may be moved before a phone has linked it.
      while (!(await node.post('/session/connect', { Immediate: false }, headers)).success) await wait(200)
      await network.call.scan(phone, (await succeed(node.get('/session/qr', headers))).data.QRCode)
      while ((await node.get('/session/status', headers)).data?.LoggedIn !== true) await wait(50)
      return {
        id: String(data.Id),
        token: headers.token,
        phone,
        text: (through, to) => ({
          url: nodeOf(through).url,
          path: '/send/text',
          headers,
          body: JSON.stringify({ Phone: to, Body: 'twenty-two bytes long.' }),
        }),
      }
    },
    async owners() {
      if (!isCluster) return new Map()
      const { rows } = await look.raw('SELECT session, node FROM cluster_leases')
      return new Map(
        (rows as { session: string; node: string }[]).map(({ session, node }) => [
          session,
          Number(/^node(\d+)-/.exec(node)?.[1]) - 1,
        ]),
      )
    },
    nodesCpu: () => nodes.reduce((sum, { pid }) => sum + (cpuIfAlive(pid) ?? 0), 0),
    async databaseCpu() {
      const { rows } = await look.raw(
        'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      )
      for (const { pid } of rows as { pid: number }[]) {
        const now = cpuIfAlive(pid) ?? 0
        used += now - (seen.get(pid) ?? 0)
        seen.set(pid, now)
      }
      return used
    },
    async close() {
      await Promise.all(nodes.map((node) => node.end('SIGKILL')))
      await Promise.all([network, client, receiver].map((child) => child.end()))
      await look.destroy()
      await database.drop()
    },
  }
}

/** Undefined for a process that has ended. */
function cpuIfAlive(pid: number): number | undefined {
  try {
    return cpuOf(pid)
  } catch {
    return undefined
  }
}

async function succeed(answer: ReturnType<GatewayProcess['post']>): ReturnType<GatewayProcess['post']> {
  const result = await answer
  if (!result.success) throw new Error(`${result.status} ${result.error}`)
  return result
}
