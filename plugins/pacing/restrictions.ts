import { createKeyedQueue, type Kernel, type Signal, type Socket } from 'wamux/plugin'
import type { PacingConfig } from './config.ts'

/** WhatsApp's restrictions of a session on starting new chats. */
export interface Restrictions {
  /** The end, in milliseconds since 1970; 0 when there is none. */
  until(session: string): Promise<number>
  /** Like `until`, from cached values; sends no query. */
  known(session: string): number
  /** When the known restriction became known; 0 when there is none. */
  since(session: string): number
  /** A message to a new contact was refused. */
  refused(session: string): void
  /** The restrictions changed: cached values are stale. */
  forget(session: string): void
  /** Number of sessions known to be restricted now; sends no query. */
  count(): number
}

interface Known {
  /** When the current restriction became known. */
  since: number
  /** From a refusal for which WhatsApp may give no end time. */
  refused: number
  /** WhatsApp's last answer, valid for FRESH_MS; undefined if not queried yet. */
  reported: { end: number; at: number } | undefined
}

const FRESH_MS = 5 * 60_000
const LIMIT_UPDATES = ['NotificationUserReachoutTimelockUpdate', 'MessageCappingInfoNotification']

export function createRestrictions({
  config,
  sessions,
  log,
}: Pick<Kernel<PacingConfig>, 'config' | 'sessions' | 'log'>): Restrictions {
  const bySession = new Map<string, Known>()
  const queries = createKeyedQueue()

  async function query(session: string, socket: Socket): Promise<number> {
    const [lock, cap] = await Promise.allSettled([
      socket.wa.fetchAccountReachoutTimelock(),
      socket.wa.fetchNewChatMessageCap(),
    ])
    if (lock.status === 'rejected' && cap.status === 'rejected')
      log.warn({ session }, 'reading the limits failed')
    return endOf(
      lock.status === 'fulfilled' ? lock.value : undefined,
      cap.status === 'fulfilled' ? cap.value : undefined,
    )
  }

  /** Concurrent calls for one session share one query: all but the first find its answer. */
  const reported = (session: string): Promise<number> => queries.run(session, () => readReported(session))

  async function readReported(session: string): Promise<number> {
    const known = bySession.get(session)
    if (known?.reported && known.reported.at > Date.now() - FRESH_MS) return known.reported.end
    const socket = (await sessions.byId(session))?.socket
    if (!socket) return 0
    const end = await query(session, socket)
    keep(session, {
      refused: bySession.get(session)?.refused ?? 0,
      reported: { end, at: Date.now() },
    })
    return end
  }

  const endOfKnown = ({ refused, reported }: Omit<Known, 'since'>): number => reported?.end || refused

  function keep(session: string, next: Omit<Known, 'since'>): void {
    const before = bySession.get(session)
    const isOn = before !== undefined && endOfKnown(before) > Date.now()
    bySession.set(session, { ...next, since: isOn ? before.since : Date.now() })
  }

  function known(session: string): number {
    const entry = bySession.get(session)
    const end = entry ? endOfKnown(entry) : 0
    return end > Date.now() ? end : 0
  }

  return {
    known,
    since: (session) => (known(session) > 0 ? (bySession.get(session)?.since ?? 0) : 0),
    async until(session) {
      const end = (await reported(session)) || (bySession.get(session)?.refused ?? 0)
      return end > Date.now() ? end : 0
    },
    refused: (session) => keep(session, { refused: Date.now() + config.holdMs, reported: undefined }),
    forget: (session) => void bySession.delete(session),
    count() {
      const now = Date.now()
      return [...bySession.values()].filter((known) => endOfKnown(known) > now).length
    },
  }
}

type Lock = Partial<Awaited<ReturnType<Socket['wa']['fetchAccountReachoutTimelock']>>>
type Cap = Partial<Awaited<ReturnType<Socket['wa']['fetchNewChatMessageCap']>>>

/** The later end of a timelock and of an exhausted quota; 0 if there is neither. */
export function endOf(lock: Lock | undefined, cap: Cap | undefined): number {
  const locked = lock?.isActive ? (lock.timeEnforcementEnds?.getTime() ?? 0) : 0
  const capped = cap?.capping_status === 'CAPPED' ? Number(cap.cycle_end_timestamp ?? 0) * 1000 : 0
  return Math.max(locked, capped)
}

/** Whether a notification reports a change of timelock or quota. */
export function isAboutLimits({ attrs, content }: Signal<'stanza.notification'>['data']): boolean {
  if (attrs['type'] !== 'mex' || !Array.isArray(content)) return false
  return content.some(
    ({ tag, attrs: { op_name: name = '' } }) => tag === 'update' && LIMIT_UPDATES.includes(name),
  )
}
