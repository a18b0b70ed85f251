import { setTimeout as sleep } from 'node:timers/promises'
import { gatewayError, type Kernel } from 'wamux/plugin'
import type { Config } from './config.ts'
import type { KnownContacts } from './known-contacts.ts'
import type { Restrictions } from './restrictions.ts'
import { createSlots, type Slots } from './slots.ts'

/** Decides when a session may send. */
export interface Pace {
  /**
   * Waits until it may send to the chat. Rejects NEW_CHATS_HELD where it may not, and STOPPING when `signal` is
   * aborted.
   */
  before(send: { session: string; chat: string; signal: AbortSignal }): Promise<void>
  /** Until when new chats are held back, as far as is known, in milliseconds since 1970; 0 if they are not. Sends no query. */
  restrictedUntil(session: string): number
  readonly tally: PaceTally
}

/** What was held back since the start. */
export interface PaceTally {
  /** Sends that had to wait, and for how long. */
  waits: number
  waitedMs: number
  /** Sends to new chats that were refused. */
  held: number
}

type Parts = Pick<Kernel<Config>, 'config'> & { knownContacts: KnownContacts; restrictions: Restrictions }

export function createPace({ config, knownContacts, restrictions }: Parts): Pace {
  const slots = new Map<string, Slots>()
  const tally: PaceTally = { waits: 0, waitedMs: 0, held: 0 }

  function slotsOf(session: string): Slots {
    const found = slots.get(session) ?? createSlots(config, Date.now, Math.random)
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
