import type { ConsumerState } from 'wamux/plugin'

/** A session in which a consumer is behind: its lines are read from the table until it has caught up with the others. */
export interface Lane {
  readonly session: string
  /** Lines up to this seq are handled; undefined until the cursor was read. */
  seq: number | undefined
  /** The newest line that is known of. */
  newest: number
  /** Estimate of the lines in between. */
  behind: number
  /** The table may have lines that are not known of. */
  isStale: boolean
  /** It is handled by itself, since it failed together with others. */
  isAlone: boolean
  isBusy: boolean
  /** Lines of the next try: one after a failure, twice as many after each success. */
  limit: number
  failures: number
  /** Of these, the refusals of the first line by itself. */
  refused: number
  error: string
  retryAt: number
}

/** Lanes of a consumer that are handled by themselves at the same time. */
const MAX_BUSY = 16
/** Lanes that are read and handled together. */
const MAX_TOGETHER = 32
const MAX_LISTED = 10
const RETRY_MS = { first: 200, most: 30_000 }

/** Milliseconds until the next try, with jitter. */
export function backoff(failures: number): number {
  return Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** failures) * (0.5 + Math.random() / 2)
}

export type Lanes = ReturnType<typeof createLanes>

/** The lanes of one consumer, which are few: a session that is not behind has none. */
export function createLanes(defaults: Pick<Lane, 'isAlone' | 'limit'>) {
  const lanes = new Map<string, Lane>()
  const isDue = (lane: Lane, isAlone: boolean): boolean =>
    !lane.isBusy && lane.isAlone === isAlone && !lane.isStale && hasMore(lane) && lane.retryAt <= Date.now()
  const listOf = (matches: (lane: Lane) => boolean): Lane[] => [...lanes.values()].filter(matches)

  return {
    size: () => lanes.size,
    get: (session: string) => lanes.get(session),
    isCurrent: (lane: Lane) => lanes.get(lane.session) === lane,
    open(session: string, fields: Partial<Lane>): void {
      const blank = { ...defaults, seq: undefined, newest: 0, behind: 0, isStale: false, isBusy: false }
      lanes.set(session, { session, ...blank, failures: 0, refused: 0, error: '', retryAt: 0, ...fields })
    },
    close: (session: string) => void lanes.delete(session),
    stale: () => listOf(({ isStale }) => isStale),
    together: () => listOf((lane) => isDue(lane, false)).slice(0, MAX_TOGETHER),
    alone: () => listOf((lane) => isDue(lane, true)).slice(0, Math.max(0, MAX_BUSY - listOf(isBusy).length)),
    /** Closes the lanes that have caught up with the lines of all sessions, which are handled up to `seq`. */
    closeUpTo(seq: number): void {
      for (const lane of lanes.values())
        if (!lane.isStale && !lane.isBusy && !hasMore(lane) && (lane.seq ?? 0) <= seq)
          lanes.delete(lane.session)
    },
    /** Puts a lane behind the others. */
    rotate(lane: Lane): void {
      if (lanes.get(lane.session) !== lane) return
      lanes.delete(lane.session)
      lanes.set(lane.session, lane)
    },
    /** Milliseconds until the first lane that waits is due; undefined for none, or if it would find no slot. */
    wait(): number | undefined {
      const waiting = listOf((lane) => !lane.isBusy && !lane.isStale && hasMore(lane) && lane.retryAt > 0)
      if (waiting.length === 0 || listOf(isBusy).length >= MAX_BUSY) return undefined
      return Math.max(1, Math.min(...waiting.map(({ retryAt }) => retryAt)) - Date.now())
    },
    state(): Pick<ConsumerState, 'lag' | 'lanes'> {
      const behind = listOf(hasMore).sort((a, b) => b.behind - a.behind)
      return {
        lag: behind.reduce((sum, lane) => sum + lane.behind, 0),
        lanes: behind.slice(0, MAX_LISTED).map(({ session, behind: lag, failures, error, retryAt }) => ({
          ...{ session, lag, failures, error, retryAt },
        })),
      }
    },
  }
}

const hasMore = ({ seq, newest }: Lane): boolean => newest > (seq ?? 0)
const isBusy = (lane: Lane): boolean => lane.isBusy
