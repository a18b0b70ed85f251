import { setTimeout as pause } from 'node:timers/promises'
import { compare, emptied, type Faults, faultsOf, NO_FAULTS } from '../crash/evidence.ts'
import { randomFrom } from '../crash/random.ts'
import { eventually } from '../support/eventually.ts'
import { FAULTS, type FaultName, UNSEEN_END } from './faults.ts'
import type { Place } from './processes.ts'
import { openScene } from './scene.ts'

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
  /** Links of one device that were open side by side; none is expected, unless the network can't see that one has ended. */
  overlaps: readonly string[]
  /** What a link sent after another node had taken its session over. */
  stale: readonly string[]
  /** Answers that a client had to repeat its request after. */
  postponed: readonly string[]
  /** Lines of the nodes' logs about errors that should not be. */
  bugs: readonly string[]
  /** Milliseconds from each fault until every session that it ended was served again. */
  gaps: readonly number[]
}

const DRAIN_MS = 60_000
const SEEN_MS = 2_000
/** A link that is lost within a second of its opening counts as one that never opened: it is opened later and later. */
const SETTLED_MS = 1_200

/** Faults again and again under traffic both ways on several nodes, and then what everybody has. */
export async function clusterLoop(options: ClusterOptions): Promise<ClusterReport> {
  const { times, seed, nodes = 3, sessions = 4, leaseMs = 15_000, onProgress } = options
  const random = randomFrom(seed)
  const scene = await openScene({ nodes, sessions, leaseMs, ownServer: options.fault === 'reboot' })
  const { places, wire, traffic, look, server } = scene
  const devices = wire.devices()
  const isServed = (): boolean => devices.every(wire.isServed)
  const gaps: number[] = []
  const isAnySent = async (): Promise<void> => {
    for (let i = 0; i < sessions; i += 1) await traffic.nextSent()
  }
  /** A process starts while the traffic goes on. */
  let restored: Promise<unknown> = Promise.resolve()
  for (let i = 0; i < times; i += 1) {
    await Promise.race([isAnySent(), pause(5_000)])
    await restored
    await pause((options.fault === 'offline' ? SETTLED_MS : 0) + random() * 500)
    // A node that serves nothing proves nothing.
    const names = await scene.busy()
    const busy = places.filter(({ name }) => names.has(name))
    const victim = busy[Math.floor(random() * busy.length)] ?? (places[0] as Place)
    const before = performance.now()
    const restore = await FAULTS[options.fault]({ victim, places, look, server, leaseMs, random })
    // The network sees the end of a connection a moment after its process has ended; some faults end none.
    const isSeen = (): boolean => !isServed() || devices.some((device) => wire.openedAt(device) > before)
    await eventually(isSeen, 'the end of a link', { quietMs: SEEN_MS }).catch(() => undefined)
    await eventually(isServed, 'every session served again', {
      quietMs: 60_000,
      progress: () => devices.filter(wire.isServed).length,
    })
    const last = Math.max(...devices.map(wire.openedAt))
    gaps.push(Math.round(Math.max(0, last - before)))
    restored = restore()
    onProgress?.(`${i + 1} of ${times}: ${options.fault} of ${victim.name}, served after ${gaps.at(-1)} ms`)
  }
  await restored
  await traffic.stop(DRAIN_MS)
  await emptied(scene.waiting, DRAIN_MS)
  const { retries, ...report } = await compare(scene)
  await scene.close()
  const { received, sent } = report
  return {
    ...{ received, sent, retries, gaps },
    faults: faultsOf({ ...report, retries }),
    overlaps: wire.overlaps,
    stale: wire.stale,
    postponed: [...traffic.postponed],
    bugs: places.flatMap(({ log }) => log.filter((line) => /"level":(50|60)/.test(line))),
  }
}

/** Whether nothing was lost, doubled, out of order or sent by a node that no longer was the owner. */
export function isClean(fault: FaultName, { faults, stale, overlaps, retries }: ClusterReport): boolean {
  return (
    JSON.stringify(faults) === JSON.stringify(NO_FAULTS) &&
    stale.length === 0 &&
    retries === 0 &&
    (overlaps.length === 0 || UNSEEN_END.has(fault))
  )
}
