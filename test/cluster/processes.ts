import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PostgresProxy, startPostgresProxy } from '../storage/postgres-proxy.ts'
import type { Calls } from '../support/calls.ts'
import { temporaryFolder } from '../support/databases.ts'
import { KEYS } from '../support/gateway.ts'
import { freePort } from '../support/port.ts'
import { type GatewayProcess, startProcess } from '../support/process.ts'
import { SECRET } from './nodes.ts'

/** A place in the cluster; the process in it comes and goes. */
export interface Place {
  readonly name: string
  /** Undefined while it is dead. */
  process: GatewayProcess | undefined
  readonly proxy: PostgresProxy
  /** What its processes have logged. */
  readonly lines: string[]
  start(): Promise<GatewayProcess>
}

export interface PlaceOptions {
  name: string
  card: string
  databaseUrl: string
  leaseMs: number
}

/** Each node reaches PostgreSQL through a proxy of its own. */
export async function createPlace({ name, card, databaseUrl, leaseMs }: PlaceOptions): Promise<Place> {
  const port = await freePort()
  const proxy = await startPostgresProxy(databaseUrl)
  const folder = temporaryFolder()
  const config = join(folder, 'wamux.json')
  // Deliveries are judged elsewhere.
  writeFileSync(config, JSON.stringify({ plugins: { cluster: true } }))
  const env = {
    WAMUX_CONFIG: config,
    WAMUX_DATA_DIR: folder,
    WAMUX_KEYS: KEYS,
    WAMUX_PORT: String(port),
    WAMUX_BAILEYS_NETWORK: card,
    WAMUX_CLUSTER_NAME: name,
    WAMUX_CLUSTER_URL: `http://127.0.0.1:${port}`,
    WAMUX_CLUSTER_SECRET: SECRET,
    WAMUX_CLUSTER_LEASE_MS: String(leaseMs),
    DATABASE_URL: proxy.url,
    LOG_LEVEL: 'info',
  }
  const place: Place = {
    name,
    process: undefined,
    proxy,
    lines: [],
    async start() {
      const started = await startProcess(env)
      place.process = started
      void started.ended.then(() => place.lines.push(...started.lines))
      return place.process
    },
  }
  return place
}

/** Calls any of the live nodes, as a load balancer does. */
export function balanced(places: readonly Place[]): Calls {
  let turn = 0
  const next = (): Calls => {
    turn += 1
    const live = places.filter(({ process }) => process !== undefined)
    const { process } = live[turn % live.length] ?? {}
    if (!process) throw new Error('no node lives')
    return process
  }
  return {
    call: async (...args) => next().call(...args),
    get: async (...args) => next().get(...args),
    post: async (...args) => next().post(...args),
  }
}
