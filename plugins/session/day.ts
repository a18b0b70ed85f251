import type { PluginDb, Row, Session } from 'wamux/plugin'

/** Share of the last 24 hours in which sessions were connected. */
export interface Days {
  /**
   * By session, for each of the last 48 half hours, oldest first: percent of the time in which it should have been connected;
   * -1 if it should not have been: before it existed or was linked, or while it was stopped.
   */
  read(sessions: readonly Session[], now: number): Promise<ReadonlyMap<string, readonly number[]>>
}

interface Step {
  readonly at: number
  readonly from: string
  readonly to: string
}

export const SLOTS = 48
export const SLOT_MS = 1_800_000

/** Computed from the state history, with one query for all sessions. */
export function createDays({ db }: { db: PluginDb }): Days {
  return {
    async read(sessions, now) {
      const since = now - SLOTS * SLOT_MS
      const rows = await db
        .read<Row>(db.table('history'))
        .where('at', '>', since)
        .orderBy('number')
        .select('session', 'at', 'from_state', 'to_state')
      const steps = new Map<string, Step[]>()
      for (const { session, at, from_state, to_state } of rows) {
        const own = steps.get(String(session)) ?? []
        own.push({ at: Number(at), from: String(from_state), to: String(to_state) })
        steps.set(String(session), own)
      }
      return new Map(
        sessions.map((session) => [session.id, dayOf(session, steps.get(session.id) ?? [], now)]),
      )
    },
  }
}

type Now = Pick<Session, 'state' | 'createdAt' | 'jid' | 'isOnRequest'>

/** Whether somebody expects it to be connected; states that are not here leave that as it was. */
const EXPECTED: Readonly<Record<string, boolean>> = {
  open: true,
  waiting: true,
  'logged-out': true,
  replaced: true,
  banned: true,
  offline: false,
  scan: false,
  code: false,
  passkey: false,
  'passkey-confirm': false,
}

/** @param steps oldest first, of the last 24 hours */
export function dayOf(session: Now, steps: readonly Step[], now: number): number[] {
  const { state, createdAt, jid, isOnRequest } = session
  const born = Date.parse(createdAt)
  const begin = now - SLOTS * SLOT_MS
  const open = new Array<number>(SLOTS).fill(0)
  const due = new Array<number>(SLOTS).fill(0)
  const first = steps[0]?.from ?? state
  let from = Math.max(begin, born)
  let isOpen = first === 'open'
  let isDue = EXPECTED[first] ?? jid !== ''
  for (const [index, { at, to }] of [...steps, { at: now, to: '' }].entries()) {
    // The last span is in the state that the session has now.
    if (index === steps.length && isOnRequest) isDue = false
    if (isDue) add(due, from - begin, at - begin)
    if (isOpen) add(open, from - begin, at - begin)
    from = Math.max(at, born)
    isOpen = to === 'open'
    isDue = EXPECTED[to] ?? isDue
  }
  return due.map((ms, slot) => (ms > 0 ? Math.round((100 * (open[slot] ?? 0)) / ms) : -1))
}

/** Distributes a time span over its slots. */
function add(slots: number[], start: number, end: number): void {
  for (let at = Math.max(0, start); at < end; ) {
    const slot = Math.floor(at / SLOT_MS)
    const until = Math.min(end, (slot + 1) * SLOT_MS)
    if (slot < slots.length) slots[slot] = (slots[slot] ?? 0) + until - at
    at = until
  }
}
