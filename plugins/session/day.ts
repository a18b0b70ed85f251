import type { PluginDb, Row, Session } from 'wamux/plugin'

/** Share of the last 24 hours in which sessions were connected. */
export interface Days {
  /** By session: percent of each of the last 48 half hours, oldest first; -1 for those before it existed. */
  read(sessions: readonly Session[], now: number): Promise<ReadonlyMap<string, readonly number[]>>
}

interface Step {
  readonly at: number
  readonly from: string
  readonly to: string
}

export const SLOTS = 48
const SLOT_MS = 1_800_000

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

/** @param steps oldest first, of the last 24 hours */
function dayOf(
  { state, createdAt }: Pick<Session, 'state' | 'createdAt'>,
  steps: readonly Step[],
  now: number,
): number[] {
  const born = Date.parse(createdAt)
  const begin = now - SLOTS * SLOT_MS
  const open = new Array<number>(SLOTS).fill(0)
  let from = begin
  let isOpen = (steps[0]?.from ?? state) === 'open'
  for (const { at, to } of [...steps, { at: now, to: '' }]) {
    if (isOpen) add(open, Math.max(from, born) - begin, at - begin)
    from = at
    isOpen = to === 'open'
  }
  return open.map((ms, slot) => {
    const lived = Math.min(SLOT_MS, begin + (slot + 1) * SLOT_MS - born)
    return lived <= 0 ? -1 : Math.min(100, Math.round((100 * ms) / lived))
  })
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
