import { setTimeout as pause } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { Trouble } from '../storage/troubles.ts'
import { eventually } from '../support/eventually.ts'
import type { GatewayProcess } from '../support/process.ts'
import { admin } from '../support/sessions.ts'
import type { Line, Place } from './processes.ts'

interface Parts {
  victim: Place
  places: readonly Place[]
  /** PostgreSQL, beside the nodes. */
  look: Knex
  /** The server of PostgreSQL, where it is the run's own. */
  server?: Trouble | undefined
  leaseMs: number
  random(): number
}

/** What happens to a node; what it returns ends it, once the others serve its sessions. */
type Fault = (parts: Parts) => Promise<() => Promise<unknown>>

const HOUR_MS = 3_600_000
const nothing = async (): Promise<void> => undefined

/** Ends a node's process, and starts another one in its place. */
async function end(
  victim: Place,
  signal: NodeJS.Signals,
  clockMs = 0,
): Promise<() => Promise<GatewayProcess>> {
  const old = victim.process
  victim.process = undefined
  await old?.end(signal)
  return () => victim.start(clockMs)
}

/** It answers no requests while it lasts: a load balancer sees that. */
async function without(victim: Place, work: (old: GatewayProcess) => Promise<unknown>): Promise<void> {
  const old = victim.process as GatewayProcess
  victim.process = undefined
  await work(old)
  await eventually(
    async () => (await old.get('/server/ready')).status === 200,
    `${victim.name} is ready again`,
  )
  victim.process = old
}

async function cutFor(lines: readonly Line[], ms: number): Promise<void> {
  for (const line of lines) {
    line.refuse(true)
    line.cut()
  }
  await pause(ms)
  for (const line of lines) line.refuse(false)
}

export const FAULTS = {
  kill: ({ victim }) => end(victim, 'SIGKILL'),
  /** The process that follows has a clock that is an hour fast, an hour slow, or right. */
  async skew({ victim, random }) {
    return end(victim, 'SIGKILL', [HOUR_MS, -HOUR_MS, 0][Math.floor(random() * 3)])
  },
  /** A rolling restart: one node after the other. */
  async restart({ places }) {
    for (const place of places) await (await end(place, 'SIGTERM'))()
    return nothing
  },
  /** Stopped for twice the time of a lease, as by a virtual machine that is moved. */
  async stall({ victim, leaseMs }) {
    await without(victim, async ({ pid }) => {
      process.kill(pid, 'SIGSTOP')
      await pause(2 * leaseMs)
      process.kill(pid, 'SIGCONT')
    })
    return nothing
  },
  /** Its event loop is blocked for twice the time of a lease, from the middle of a turn (blocker.ts). */
  async block({ victim, leaseMs }) {
    await without(victim, async ({ pid }) => {
      process.kill(pid, 'SIGWINCH')
      await pause(2 * leaseMs)
    })
    return nothing
  },
  /** Cut from PostgreSQL. */
  async cut({ victim, leaseMs }) {
    await without(victim, () => cutFor([victim.lines.database], 2 * leaseMs))
    return nothing
  },
  /** Every node cut from its peers; each is reached by the clients, by PostgreSQL and by WhatsApp. */
  async partition({ places, leaseMs }) {
    await cutFor(
      places.map(({ lines }) => lines.inbound),
      2 * leaseMs,
    )
    return nothing
  },
  /** Cut from WhatsApp: it keeps its sessions, and connects them when it can. */
  async offline({ victim, leaseMs }) {
    await cutFor([victim.lines.network], 2 * leaseMs)
    return nothing
  },
  /** Every connection of every node to PostgreSQL is terminated. */
  async terminate({ places }) {
    for (const { lines } of places) lines.database.cut()
    return nothing
  },
  /** PostgreSQL is stopped, fast or at once, and started again. */
  async reboot({ server, random }) {
    await server?.strike(random, 0)
    return nothing
  },
  async drain({ victim, places }) {
    const name = victim.name
    const other = places.find((place) => place !== victim)?.process
    await other?.post(`/server/nodes/${name}/drain`, {}, admin)
    await eventually(async () => {
      const { data } = (await other?.get('/server/nodes', admin)) ?? {}
      return (
        data.find(({ Name, State }: { Name: string; State: string }) => Name === name && State === 'draining')
          ?.Sessions === 0
      )
    }, 'drained')
    return async () => other?.post(`/server/nodes/${name}/drain`, { Drain: false }, admin)
  },
} satisfies Record<string, Fault>

export type FaultName = keyof typeof FAULTS

/** Of these the network can't see in time that a connection has ended: two may be open, and only what they send is judged. */
export const UNSEEN_END: ReadonlySet<FaultName> = new Set(['stall', 'block'])
