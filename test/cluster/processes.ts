import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../config/build/port.ts'
import { type PostgresProxy, startPostgresProxy } from '../storage/postgres-proxy.ts'
import type { Calls } from '../support/calls.ts'
import { temporaryFolder } from '../support/databases.ts'
import { KEYS } from '../support/gateway.ts'
import { type GatewayProcess, startProcess } from '../support/process.ts'
import { SECRET } from './nodes.ts'

/** A TCP proxy that can be cut; what it stands in front of makes no difference. */
export type Line = Pick<PostgresProxy, 'cut' | 'refuse' | 'close'>

/** A place in the cluster; the process in it comes and goes. */
export interface Place {
  readonly name: string
  /** Undefined while it is dead. */
  process: GatewayProcess | undefined
  /** Its lines to PostgreSQL, to WhatsApp's network, and from the other nodes. */
  readonly lines: { readonly database: Line; readonly network: Line; readonly inbound: Line }
  /** What its processes have logged. */
  readonly log: string[]
  /** @param clockMs by how much the clock of the process is wrong. */
  start(clockMs?: number): Promise<GatewayProcess>
}

export interface PlaceOptions {
  name: string
  card: string
  databaseUrl: string
  leaseMs: number
}

/** Modules that each node loads first: a clock that can be wrong, and an event loop that can be blocked. */
const IMPORTS = ['./test/cluster/clock.ts', './test/cluster/blocker.ts']

/** A node reaches PostgreSQL and the network, and is reached by the others, each through a proxy of its own. */
export async function createPlace({ name, card, databaseUrl, leaseMs }: PlaceOptions): Promise<Place> {
  const port = await freePort()
  const database = await startPostgresProxy(databaseUrl)
  const inbound = await startPostgresProxy(`http://127.0.0.1:${port}`)
  const about = JSON.parse(readFileSync(card, 'utf8')) as { url: string }
  const network = await startPostgresProxy(about.url)
  const folder = temporaryFolder()
  const [config, ownCard] = [join(folder, 'wamux.json'), join(folder, 'network.json')]
  writeFileSync(config, JSON.stringify({ plugins: { cluster: true } }))
  writeFileSync(ownCard, JSON.stringify({ ...about, url: network.url }))
  const env = {
    WAMUX_CONFIG: config,
    WAMUX_DATA_DIR: folder,
    WAMUX_KEYS: KEYS,
    WAMUX_PORT: String(port),
    WAMUX_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    WAMUX_BAILEYS_NETWORK: ownCard,
    WAMUX_CLUSTER_NAME: name,
    WAMUX_CLUSTER_URL: inbound.url.replace(/\/$/, ''),
    WAMUX_CLUSTER_SECRET: SECRET,
    WAMUX_CLUSTER_LEASE_MS: String(leaseMs),
    DATABASE_URL: database.url,
    LOG_LEVEL: 'info',
  }
  const place: Place = {
    name,
    process: undefined,
    lines: { database, network, inbound },
    log: [],
    async start(clockMs = 0) {
      const started = await startProcess({ ...env, CLUSTER_CLOCK_MS: String(clockMs) }, 'start', IMPORTS)
      place.process = started
      void started.ended.then(() => place.log.push(...started.lines))
      return started
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
