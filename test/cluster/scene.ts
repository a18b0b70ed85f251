import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Knex } from 'knex'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { waitingFor } from '../crash/crash.ts'
import { startTraffic, type Traffic } from '../crash/traffic.ts'
import { postgresPrograms, restartedServer, type Trouble } from '../storage/troubles.ts'
import { connected, temporaryFolder } from '../support/databases.ts'
import { KEYS } from '../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import type { GatewayProcess } from '../support/process.ts'
import { NO_SERVER } from '../support/servers/postgres.ts'
import { type Receiver, startReceiver } from '../support/servers/receiver.ts'
import { linkPhone } from '../support/sessions.ts'
import { clusterDatabase } from './nodes.ts'
import { balanced, createPlace, type Place } from './processes.ts'
import { createWire, type Wire } from './wire.ts'

/** Nodes with linked sessions, webhooks and traffic both ways. */
export interface Scene {
  readonly places: readonly Place[]
  readonly loose: LooseNetwork
  readonly wire: Wire
  readonly traffic: Traffic
  readonly receiver: Receiver
  readonly peers: readonly Phone[]
  readonly dataDir: string
  readonly databaseUrl: string
  /** PostgreSQL, beside the nodes. */
  readonly look: Knex
  /** The server, where it is the run's own. */
  readonly server: Trouble | undefined
  /** Stanzas that wait for the nodes. */
  waiting(): number
  /** Names of the nodes that serve sessions. */
  busy(): Promise<Set<string>>
  stop(): Promise<unknown>
  close(): Promise<void>
}

export interface SceneOptions {
  nodes: number
  sessions: number
  leaseMs: number
  /** With a PostgreSQL server of its own, which can be restarted. */
  ownServer: boolean
}

export async function openScene({
  nodes,
  sessions: count,
  leaseMs,
  ownServer,
}: SceneOptions): Promise<Scene> {
  const server = ownServer ? await restartedServer(postgresPrograms() ?? '') : undefined
  const database = clusterDatabase()
  if (!database) throw new Error(NO_SERVER)
  const { databaseUrl: shared, databaseSchema } = database
  const url = new URL(server?.url ?? shared)
  const look = connected(url.href)
  await look.raw('CREATE SCHEMA ??', [databaseSchema])
  url.searchParams.set('options', `-c search_path=${databaseSchema}`)
  const databaseUrl = url.href
  const wire = createWire()
  const loose = await startNetwork({ observe: wire.observe })
  const receiver = await startReceiver()
  const dataDir = temporaryFolder()
  writeFileSync(join(dataDir, 'master-key'), KEYS)
  const places: Place[] = []
  for (let i = 0; i < nodes; i += 1)
    places.push(await createPlace({ name: `node${i + 1}`, card: loose.card, databaseUrl, leaseMs }))
  await Promise.all(places.map((place) => place.start()))
  const calls = balanced(places)

  const linked = await Promise.all(
    Array.from({ length: count }, (_, i) => loose.phones.create({ name: `S${i}` })),
  )
  const peers = await Promise.all(['P', 'Q'].map((name) => loose.phones.create({ name })))
  const sessions = []
  for (const phone of linked) {
    const { token, post } = await linkPhone(calls, phone, { subscribe: ['Message'] })
    await post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] })
    sessions.push({ token, phone: phone.account.phone })
  }
  const members = [...linked, peers[1] as Phone].map(({ account }) => account.phone)
  const { JID } = await (peers[0] as Phone).act({ Action: 'createGroup', Text: 'G', Participants: members })
  const waiting = (): number => waitingFor(loose, linked)
  const traffic = startTraffic({ sessions, peers, group: String(JID), waiting })
  // Any node takes any request.
  traffic.gateway = calls as GatewayProcess
  return {
    ...{ places, loose, wire, traffic, receiver, peers, dataDir, databaseUrl, look, server, waiting },
    async busy() {
      const { rows } = await look.raw('SELECT DISTINCT node FROM ??.cluster_leases', [databaseSchema])
      return new Set(rows.map(({ node }: { node: string | null }) => String(node).replace(/-[^-]*$/, '')))
    },
    stop: () => Promise.all(places.map(({ process }) => process?.end('SIGTERM'))),
    async close() {
      await loose.network.close()
      await receiver.close()
      await Promise.all(places.flatMap(({ lines }) => Object.values(lines).map((line) => line.close())))
      await look.destroy()
      await server?.end()
    },
  }
}
