import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { gatewayError, type Kernel } from 'wamux/plugin'
import type { PacingConfig } from './config.ts'
import type { KnownContacts } from './known-contacts.ts'
import type { Restrictions } from './restrictions.ts'

/** Decides when a session may send. */
export interface Pace {
  /**
   * Waits until the session may send to the chat. Rejects NEW_CHATS_HELD if it must not, and STOPPING when `signal` is
   * aborted.
   */
  before(send: { session: string; chat: string; signal: AbortSignal }): Promise<void>
  /** The known end of a restriction of new chats, in milliseconds since 1970; 0 without one. Sends no query. */
  restrictedUntil(session: string): number
  /** When that restriction became known, milliseconds since 1970; 0 without one. */
  restrictedSince?(session: string): number
  readonly tally: PaceTally
}

/** Counters since the start. */
export interface PaceTally {
  /** Number and total time of waiting sends. */
  waits: number
  waitedMs: number
  /** Refused sends to new chats. */
  held: number
}

type Parts = Pick<Kernel<PacingConfig>, 'config'> & {
  knownContacts: KnownContacts
  restrictions: Restrictions
}

export function createPace({ config, knownContacts, restrictions }: Parts): Pace {
  const slots = new Map<string, Slots>()
  const tally: PaceTally = { waits: 0, waitedMs: 0, held: 0 }

  function slotsOf(session: string): Slots {
    const found = slots.get(session) ?? createSlots(config, () => Date.now(), Math.random)
    slots.set(session, found)
    return found
  }

  async function assertFree(session: string, chat: string): Promise<void> {
    if (!(await knownContacts.isNew(session, chat))) return
    const end = await restrictions.until(session)
    if (end === 0) return
    tally.held += 1
    throw gatewayError('NEW_CHATS_HELD', [new Date(end).toISOString()])
  }

  return {
    tally,
    restrictedUntil: (session) => restrictions.known(session),
    restrictedSince: (session) => restrictions.since(session),
    async before({ session, chat, signal }) {
      await assertFree(session, chat)
      const ms = slotsOf(session).reserve(chat)
      if (ms <= 0) return
      tally.waits += 1
      tally.waitedMs += ms
      await sleep(ms, undefined, { signal }).catch((cause: unknown) => {
        throw gatewayError('STOPPING', [], { cause })
      })
      // Another send may have been refused meanwhile, and each further attempt prolongs the restriction.
      await assertFree(session, chat)
    },
  }
}

/** Maximum number of chats whose pauses are remembered per session. */
const MAX_CHATS = 10_000

/** The times at which one session may send. */
interface Slots {
  /** Reserves the next time for a chat; returns the milliseconds until then. */
  reserve(chat: string): number
}

/** A token bucket, stored as the time at which it will be full again, plus a pause per chat. */
export function createSlots(
  { perSecond, burst, chatPauseMs, jitterMs }: Omit<PacingConfig, 'holdMs'>,
  now: () => number,
  random: () => number,
): Slots {
  const interval = 1000 / perSecond
  const pauses = new LRUCache<string, number>({ max: MAX_CHATS })
  let fullAt = 0
  return {
    reserve(chat) {
      const time = now()
      const start = Math.max(time, fullAt)
      const at = Math.max(time, start - (burst - 1) * interval, pauses.get(chat) ?? 0)
      fullAt = start + interval
      pauses.set(chat, at + chatPauseMs + random() * jitterMs)
      return at - time
    },
  }
}
