import { setTimeout as sleep } from 'node:timers/promises'
import { gatewayError, type Kernel } from 'wamux/plugin'
import type { Config } from './config.ts'
import type { KnownContacts } from './known-contacts.ts'
import type { Restrictions } from './restrictions.ts'
import { createSlots, type Slots } from './slots.ts'

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

type Parts = Pick<Kernel<Config>, 'config'> & { knownContacts: KnownContacts; restrictions: Restrictions }

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
