import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { waitingFor } from '../crash/crash.ts'
import { compare, emptied, type Faults, faultsOf } from '../crash/evidence.ts'
import { randomFrom } from '../crash/random.ts'
import { startTraffic } from '../crash/traffic.ts'
import { connected, temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { KEYS } from '../support/gateway.ts'
import { startNetwork } from '../support/network.ts'
import type { GatewayProcess } from '../support/process.ts'
import { linkPhone } from '../support/sessions.ts'
import { FAULTS, type FaultName } from './faults.ts'
import { clusterDatabase } from './nodes.ts'
import { balanced, createPlace, type Place } from './processes.ts'
import { createWire } from './wire.ts'

export interface ClusterOptions {
  /** How often it happens. */
  times: number
  /** What happens. */
  fault: FaultName
  seed: number
  nodes?: number
  sessions?: number
  leaseMs?: number
  onProgress?(line: string): void
}

export interface ClusterReport {
  received: number
  sent: number
  faults: Faults
  /** Messages asked for again. */
  retries: number
  /** Links of one device that were open side by side. */
  overlaps: readonly string[]
  /** What a link sent after another node had taken its session over. */
  stale: readonly string[]
  /** Answers that a client had to repeat its request after. */
  postponed: readonly string[]
  /** Lines of the nodes' logs about errors that should not be. */
  bugs: readonly string[]
  /** Milliseconds from each fault until every session that it ended was served again. */
  gaps: readonly number[]
  p99: number
}

const DRAIN_MS = 60_000

/** Faults again and again under traffic both ways on several nodes, and then what everybody has. */
export async function clusterLoop(options: ClusterOptions): Promise<ClusterReport> {
  const { times, seed, nodes = 3, sessions: count = 4, leaseMs = 15_000, onProgress } = options
  const random = randomFrom(seed)
  const database = clusterDatabase()
  if (!database) throw new Error('it needs TEST_DATABASE_URL')
  const { databaseUrl: server, databaseSchema } = database
  const look = connected(server)
  await look.raw('CREATE SCHEMA ??', [databaseSchema])
  const url = new URL(server)
  url.searchParams.set('options', `-c search_path=${databaseSchema}`)
  const databaseUrl = url.href
  const wire = createWire()
  const loose = await startNetwork({ observe: wire.observe })
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
    const { token } = await linkPhone(calls, phone, { subscribe: ['Message'] })
    sessions.push({ token, phone: phone.account.phone })
  }
  const members = [...linked, peers[1] as Phone].map(({ account }) => account.phone)
  const { JID } = await (peers[0] as Phone).act({ Action: 'createGroup', Text: 'G', Participants: members })
  const waiting = (): number => waitingFor(loose, linked)
  const traffic = startTraffic({ sessions, peers, group: String(JID), waiting })
  // Any node takes any request.
  traffic.gateway = calls as GatewayProcess
  const devices = wire.devices()
  const isServed = (): boolean => devices.every(wire.isServed)
  const gaps: number[] = []
  const isAnySent = async (): Promise<void> => {
    for (let i = 0; i < count; i += 1) await traffic.nextSent()
  }
  for (let i = 0; i < times; i += 1) {
    await Promise.race([isAnySent(), pause(5_000)])
    await pause(random() * 500)
    const before = performance.now()
    const owners: { node: string | null }[] = (
      await look.raw('SELECT DISTINCT node FROM ??.cluster_leases', [databaseSchema])
    ).rows
    // A node that serves nothing proves nothing.
    const busy = places.filter(({ name }) => owners.some(({ node }) => node?.startsWith(`${name}-`)))
    const victim = busy[Math.floor(random() * busy.length)] ?? (places[0] as Place)
    const restore = await FAULTS[options.fault]({ victim, places, look, leaseMs })
    // The network sees the end of a connection a moment after its process has ended.
    await pause(100)
    await eventually(isServed, 'every session served again', {
      quietMs: 60_000,
      progress: () => devices.filter(wire.isServed).length,
    })
    const last = Math.max(...devices.map(wire.openedAt))
    gaps.push(Math.max(0, last - before))
    await restore()
    onProgress?.(
      `${i + 1} of ${times}: ${options.fault} of ${victim.name}, served after ${Math.round(gaps.at(-1) ?? 0)} ms`,
    )
  }
  await traffic.stop(DRAIN_MS)
  await emptied(waiting, DRAIN_MS)
  const stop = () => Promise.all(places.map(({ process }) => process?.end('SIGTERM')))
  const { retries, ...report } = await compare({ traffic, loose, dataDir, databaseUrl, peers, stop })
  await loose.network.close()
  await Promise.all(places.map(({ proxy }) => proxy.close()))
  await look.destroy()
  const sorted = gaps.toSorted((a, b) => a - b)
  const { received, sent } = report
  return {
    ...{ received, sent, retries, gaps },
    faults: faultsOf({ ...report, retries }),
    overlaps: wire.overlaps,
    stale: wire.stale,
    postponed: [...traffic.postponed],
    bugs: places.flatMap(({ lines }) => lines.filter((line) => /"level":(50|60)/.test(line))),
    p99: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
  }
}
