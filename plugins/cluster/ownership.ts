import { createSerialQueue, gatewayError, type Kernel, type Ownership, reasonOf } from 'wamux/plugin'
import type { ClaimOptions, Lease, Leases } from './leases.ts'

/** The leases that this node believes to hold. */
export interface NodeLeases extends Ownership {
  claim(session: string): Promise<boolean>
  fence: NonNullable<Ownership['fence']>
  /** Releases every lease of this node. */
  drain(): Promise<void>
  holds(session: string): boolean
  /** Sessions that it holds, including those being released. */
  sessions(): string[]
  /** Claims up to `limit` free sessions. */
  claimSome(limit: number, first: readonly string[]): Promise<number>
  renew(): Promise<void>
  /** Closes the links of sessions whose leases this node could not renew in time. */
  expire(): void
  /** Ends the links of the sessions, then releases their leases. */
  release(sessions: readonly string[], desired?: string): Promise<void>
}

export interface NodeLeasesParts extends Pick<Kernel<unknown>, 'db' | 'log'> {
  leases: Leases
  node: string
  leaseMs: number
  notify(): Promise<void>
}

interface OwnLease {
  readonly epoch: number
  /** The term of this node's lease in which it was claimed. */
  readonly term: number
  isReleasing: boolean
}

/** A prepared statement costs half as much as a function that locks the rows of several sessions. */
const FENCE =
  'SELECT coalesce((SELECT 1 FROM cluster_leases WHERE session = $1 AND epoch = $2 AND node = $3 FOR SHARE), cluster_not_owned())'

/** Number of links that end concurrently when a node releases all sessions. */
const AT_ONCE = 50
/** Why a lease is lost. */
const EXPIRED = 'not renewed in time'
const TAKEN = 'another node has it'

/**
 * Tracks which sessions this node serves.
 *
 *     free ── claim ──▶ owned ── release ──▶ releasing ── released ──▶ free
 *                         │                      │
 *                         └── lost: expired here, or renewed by another node ──▶ free
 *
 * A node has one lease, which it renews; a session's lease names the node, and lasts as long as that.
 *
 * Invariants:
 * - A node trusts its lease for two thirds of its time; another node may claim its sessions only after all of it. The clock
 *   is monotonic: it runs while the process is stopped, and cannot be set.
 * - `owns` ends when the release begins, so no new work starts. `holds` ends with the lease, so current work may still send.
 * - Listeners hear of a gain before `claim` resolves. A release waits for their promises, then writes after their writes.
 * - A lease that lapsed even for a moment ends its term, and with it every session claimed in it, although the database may
 *   still have them: another node may be claiming them, and work was skipped meanwhile.
 * - The epoch rises with every claim. `fence` puts it into each transaction, so a late write of an earlier owner fails.
 */
export function createNodeLeases({ leases, node, leaseMs, db, log, notify }: NodeLeasesParts): NodeLeases {
  const entries = new Map<string, OwnLease>()
  const listeners = new Set<(session: string, isOwned: boolean) => void | Promise<void>>()
  const claims = createSerialQueue()
  const trustMs = (leaseMs * 2) / 3
  /** Leases whose release has failed. */
  let unreleased: Lease[] = []
  let term = 0
  /** `performance.now()` after which other nodes may soon claim the sessions of this one. */
  let until = Number.NEGATIVE_INFINITY

  const isCurrent = (at: number): boolean => at === term && performance.now() < until
  const isValid = (entry: OwnLease | undefined): entry is OwnLease =>
    entry !== undefined && isCurrent(entry.term)
  const owns = (session: string): boolean => {
    const entry = entries.get(session)
    return isValid(entry) && !entry.isReleasing
  }

  async function emit(session: string, isOwned: boolean): Promise<void> {
    const settled = await Promise.allSettled(
      [...listeners].map(async (listener) => listener(session, isOwned)),
    )
    for (const one of settled)
      if (one.status === 'rejected')
        log.error({ session, isOwned, reason: reasonOf(one.reason) }, 'a change of the owner was not handled')
  }

  function lose(session: string, reason: string): Promise<void> {
    if (!entries.delete(session)) return Promise.resolve()
    log.warn({ session, reason }, 'lease lost')
    return emit(session, false)
  }

  async function add(claimed: readonly Lease[], began: number): Promise<void> {
    // Claimed in a term that has ended meanwhile: claimed again, in the next one.
    if (!isCurrent(began)) return
    const added = claimed.map(({ session, epoch }) => {
      entries.set(session, { epoch, term, isReleasing: false })
      log.info({ session, epoch }, 'session claimed')
      return emit(session, true)
    })
    await Promise.all(added)
  }

  /** Serialized: the second claim must know the result of the first. */
  function claim(options: Omit<ClaimOptions, 'held'>): Promise<number> {
    return claims.run(async () => {
      if (performance.now() >= until) await renew()
      const began = term
      const claimed = await leases.claim({ ...options, held: [...entries.keys()] })
      await add(claimed, began)
      return claimed.length
    })
  }

  /** Extends the lease of this node, and drops the sessions that it no longer has. */
  async function renew(): Promise<void> {
    // Only leases held now: the answer does not include one claimed meanwhile.
    const asked = [...entries]
    const began = performance.now()
    const own = new Map((await leases.renew()).map(({ session, epoch }) => [session, epoch]))
    expire()
    until = Math.max(until, began + trustMs)
    for (const [session, entry] of asked) {
      if (entries.get(session) !== entry || own.get(session) === entry.epoch) continue
      // A session that was being handed over has been.
      if (entry.isReleasing) entries.delete(session)
      else void lose(session, TAKEN)
    }
    if (unreleased.length > 0) await releaseRest()
  }

  async function releaseRest(): Promise<void> {
    const rest = unreleased.filter(({ session }) => !entries.has(session))
    await leases.release(undefined, rest)
    unreleased = unreleased.filter((lease) => !rest.includes(lease))
  }

  function expire(): void {
    if (performance.now() < until) return
    // Begins with the next renewal: one that is late must not extend what has lapsed.
    term += 1
    for (const session of entries.keys()) void lose(session, EXPIRED)
  }

  async function release(sessions: readonly string[], desired?: string): Promise<void> {
    const given: Lease[] = []
    await Promise.all(
      sessions.map(async (session) => {
        const entry = entries.get(session)
        if (!entry || entry.isReleasing) return
        entry.isReleasing = true
        await emit(session, false)
        given.push({ session, epoch: entry.epoch })
      }),
    )
    try {
      // Through the writer, after everything that the sessions have queued.
      await db.transact((trx) =>
        leases.release((text, values) => trx.raw(...positional(text, values)), given, desired),
      )
      log.info({ sessions: given.map(({ session }) => session), desired }, 'sessions released')
    } catch (error) {
      // They are no longer served here, so they must not stay with this node: its lease goes on.
      unreleased.push(...given)
      throw error
    } finally {
      for (const { session } of given) entries.delete(session)
    }
    await notify()
  }

  return {
    owns,
    // Reads a map and a clock, so the answer right before a frame is correct even if no timer has run since the process was
    // stopped or blocked.
    holds: (session) => isValid(entries.get(session)),
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    sessions: () => [...entries.keys()],
    async claim(session) {
      if (entries.get(session)?.isReleasing) return false
      if (entries.has(session)) await renew()
      if (!entries.has(session)) await claim({ limit: 1, session })
      return owns(session)
    },
    claimSome: (limit, first) => claim({ limit, first }),
    renew,
    expire,
    fence(session) {
      const entry = entries.get(session)
      if (!isValid(entry)) throw gatewayError('FENCED')
      return { text: FENCE, values: [session, String(entry.epoch), node] }
    },
    release,
    async drain() {
      const all = [...entries.keys()]
      while (all.length > 0) await release(all.splice(0, AT_ONCE))
      // Claimed in a term that has ended since: the database still has them for this node, which claims no more. Not while a
      // claim is under way, whose leases are not among the entries yet.
      await claims.run(async () => {
        const rest = (await leases.renew()).filter(({ session }) => !entries.has(session))
        if (rest.length === 0) return
        await leases.release(undefined, rest)
        await notify()
      })
    },
  }
}

/** Statement and values for knex, which supports only positional parameters. */
function positional(text: string, values: readonly unknown[]): [string, never[]] {
  const bound: unknown[] = []
  const sql = text.replace(/\$(\d+)/g, (_, index) => {
    bound.push(values[Number(index) - 1])
    return '?'
  })
  return [sql, bound as never[]]
}
