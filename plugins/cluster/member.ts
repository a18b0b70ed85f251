import {
  createInterval,
  type GatewayServices,
  type Kernel,
  type Log,
  reasonOf,
  type Session,
} from 'wamux/plugin'
import type { ClusterConfig } from './config.ts'
import type { ClusterConnection } from './connection.ts'
import type { Census, Holder, Leases } from './leases.ts'
import type { Nodes } from './nodes.ts'
import type { NodeLeases } from './ownership.ts'

/** The ongoing work of a node: it renews its leases, claims unserved sessions, and evens out the shares. */
export interface Member {
  start(): Promise<void>
  /** Looks at once for unserved sessions. */
  wake(): void
  /** Hands over every session and claims none until `resume`. */
  drain(): Promise<void>
  readonly isDraining: boolean
  /** Whether this node runs the cluster-wide tasks. For the duration of a lease two nodes may do so. */
  hasTasks(): boolean
  /** Milliseconds since the last renewal that the database has confirmed. */
  renewedAgoMs(): number
  /** Transactions that keep sessions without a node from being claimed. */
  holders(): readonly Holder[]
  stop(): Promise<void>
}

export interface MemberParts extends Pick<Kernel<ClusterConfig>, 'config' | 'log' | 'sessions'> {
  connection: ClusterConnection
  held: NodeLeases
  leases: Leases
  nodes: Nodes
  node: string
  driver?: GatewayServices['driver'] | undefined
}

const CLAIM_MS = 1_000
const BALANCE_MS = 5_000
/** Pause after another link of the account has ended this one although this node has the lease. */
const REPLACED_MS = { least: 10_000, more: 20_000 }
/** States of a session that a person is linking. */
const LINKING = new Set(['scan', 'code', 'passkey', 'passkey-confirm'])

export function createMember(parts: MemberParts): Member {
  const { config, connection, held, leases, nodes, node, sessions, log, driver } = parts
  let isDraining = false
  let isStopped = false
  let isFirst = false
  let renewedAt = performance.now()
  let retried = new Set<string>()
  let unwatch = (): void => undefined
  const timers = new Set<NodeJS.Timeout>()
  const blocked = createBlocked(leases, log)

  async function renew(): Promise<void> {
    await held.renew()
    renewedAt = performance.now()
    const beat = await nodes.beat()
    const { isAsked } = beat
    isFirst = beat.isFirst
    if (isAsked && !isDraining) await drain()
    else if (!isAsked && isDraining && !isStopped) {
      isDraining = false
      log.info('node takes sessions again')
    }
  }

  async function claim(): Promise<void> {
    if (isDraining) return
    const census = await leases.census()
    // Its own count by what it holds: the database may have sessions for it that it must claim again.
    const own = held.sessions().length
    const others = census.nodes.filter(({ id }) => id !== node).reduce((sum, { held }) => sum + held, 0)
    if (own + others >= census.sessions) return
    const share = fairShare(census)
    const free = share + tolerance(share) - own
    // Claimed sessions are connected at once, so this sets the rate of the restore. Jitter keeps nodes out of step.
    const limit = Math.min(
      free,
      Math.ceil(config.restoreRate * (CLAIM_MS / 1000) * (0.8 + 0.4 * Math.random())),
    )
    if (limit <= 0) return
    const claimed = await held.claimSome(limit, (await driver?.unfinished?.()) ?? [])
    // Claimed while it was asked to drain.
    if (isDraining) return held.drain()
    if (claimed < limit) await blocked.look()
  }

  async function balance(): Promise<void> {
    if (isDraining) return
    const target = moveTo(await leases.census(), node)
    const session = target && (await leastBusy())
    if (!target || !session) return
    log.info({ session, target }, 'session given to a node with fewer')
    await held.release([session], target)
  }

  /** The session that has been silent the longest and is not being linked. */
  async function leastBusy(): Promise<string | undefined> {
    const own = await Promise.all(held.sessions().map((id) => sessions.byId(id)))
    // A connecting session without a linked phone is about to be linked.
    const isLinking = ({ state, jid }: Session): boolean =>
      LINKING.has(state) || (state === 'connecting' && !jid)
    const movable = own.filter((session) => session && !isLinking(session))
    const [first] = movable.sort((a, b) => (a?.lastStanzaAt ?? 0) - (b?.lastStanzaAt ?? 0))
    return first?.id
  }

  /**
   * The first time, another node may have opened its link with a lease that ended meanwhile; a second time it is somebody
   * else.
   */
  function retryReplaced(session: string): void {
    if (retried.has(session)) return
    retried.add(session)
    const timer = setTimeout(
      () => {
        timers.delete(timer)
        if (!held.owns(session)) return
        sessions
          .connect(session, { wait: false })
          .catch((error: unknown) => log.warn({ session, reason: reasonOf(error) }, 'not connected again'))
      },
      REPLACED_MS.least + Math.random() * REPLACED_MS.more,
    )
    timers.add(timer)
  }

  async function drain(): Promise<void> {
    isDraining = true
    log.info({ sessions: held.sessions().length }, 'draining')
    await nodes.drain(node, true)
    await held.drain()
    log.info('drained')
  }

  const failed = (what: string) => (error: unknown) => log.warn({ reason: reasonOf(error) }, `${what} failed`)
  const loops = [
    // Runs first after the process was suspended, because an overdue timer is due at once.
    createInterval(config.leaseMs / 50, held.expire, failed('closing links')),
    createInterval((config.leaseMs * 4) / 15, renew, failed('renewing leases')),
    createInterval(BALANCE_MS, balance, failed('balancing')),
  ]
  const claiming = createInterval(CLAIM_MS, claim, failed('claiming sessions'))
  let waking = Promise.resolve()
  let isWaking = false

  return {
    get isDraining() {
      return isDraining
    },
    hasTasks: () => isFirst && !isDraining && performance.now() - renewedAt < config.leaseMs,
    renewedAgoMs: () => performance.now() - renewedAt,
    holders: () => blocked.holders,
    async start() {
      await renew()
      unwatch = sessions.watch(({ session, to }) => {
        if (to === 'replaced' && held.owns(session)) retryReplaced(session)
        if (to === 'open') setTimeout(() => retried.delete(session), 3_600_000).unref()
      })
      for (const loop of [...loops, claiming]) loop.start()
    },
    wake() {
      if (isStopped || isWaking) return
      isWaking = true
      waking = claim()
        .catch(failed('claiming sessions'))
        .finally(() => {
          isWaking = false
        })
    },
    drain,
    async stop() {
      isStopped = true
      isDraining = true
      unwatch()
      for (const timer of timers) clearTimeout(timer)
      retried = new Set()
      await Promise.all([...loops, claiming].map((loop) => loop.stop()))
      await waking
      await held.drain()
      await nodes.remove().catch(failed('leaving'))
      await connection.close()
    },
  }
}

/** Sessions that a node may have: an equal share, rounded up so that none is left over. */
function fairShare({ sessions, nodes }: Census): number {
  return Math.ceil(sessions / Math.max(1, nodes.length))
}

/**
 * How far a node may exceed its share before it hands sessions over: without this, two nodes would pass one back and forth.
 */
function tolerance(share: number): number {
  return Math.max(2, Math.ceil(share * 0.05))
}

/** The node that should get a session of `from`; undefined while the shares are fair enough. */
function moveTo(census: Census, from: string): string | undefined {
  const share = fairShare(census)
  const held = census.nodes.find(({ id }) => id === from)?.held ?? 0
  if (held <= share + tolerance(share)) return undefined
  const [least] = census.nodes.filter(({ id }) => id !== from).sort((a, b) => a.held - b.held)
  return least && least.held < share ? least.id : undefined
}

/** Reports transactions of others that keep sessions without a node from being claimed. */
interface Blocked {
  readonly holders: readonly Holder[]
  /** Called when fewer sessions were claimed than are free. */
  look(): Promise<void>
}

function createBlocked(leases: Pick<Leases, 'holders'>, log: Log): Blocked {
  let holders: readonly Holder[] = []
  const idOf = ({ session, pid }: Holder): string => `${session} ${pid}`
  return {
    get holders() {
      return holders
    },
    async look() {
      const known = new Set(holders.map(idOf))
      holders = await leases.holders()
      for (const holder of holders)
        if (!known.has(idOf(holder)))
          log.warn({ ...holder }, 'session can not be claimed: a transaction has locked its lease')
    },
  }
}
