import { setTimeout as pause } from 'node:timers/promises'
import type { Knex } from 'knex'
import { eventually } from '../support/eventually.ts'
import type { GatewayProcess } from '../support/process.ts'
import { admin } from '../support/sessions.ts'
import type { Place } from './processes.ts'

interface Parts {
  victim: Place
  places: readonly Place[]
  /** PostgreSQL, beside the nodes. */
  look: Knex
  leaseMs: number
}

/** What happens to a node; what it returns ends it, once the others serve its sessions. */
type Fault = (parts: Parts) => Promise<() => Promise<unknown>>

const nothing = async (): Promise<void> => undefined

/** Ends a node's process, and starts another one in its place. */
async function end(victim: Place, signal: NodeJS.Signals): Promise<() => Promise<unknown>> {
  const old = victim.process
  victim.process = undefined
  await old?.end(signal)
  return victim.start
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

export const FAULTS = {
  kill: ({ victim }) => end(victim, 'SIGKILL'),
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
  /** Cut from PostgreSQL. */
  async cut({ victim, leaseMs }) {
    await without(victim, async () => {
      victim.proxy.refuse(true)
      victim.proxy.cut()
      await pause(2 * leaseMs)
      victim.proxy.refuse(false)
    })
    return nothing
  },
  /** Every connection of every node to PostgreSQL is terminated. */
  async terminate({ places }) {
    for (const { proxy } of places) proxy.cut()
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
