import type { ConsumerState } from '../../types/consumers.ts'

/** A session in which a consumer is behind: its lines are read from the table until it has caught up with the others. */
export interface CatchUp {
  readonly session: string
  /** Lines up to this seq are handled; undefined until the cursor is read. */
  seq: number | undefined
  /** The newest known line. */
  newest: number
  /** Estimated number of lines in between. */
  behind: number
  /** The table may have lines that are not in memory. */
  isStale: boolean
  /** It failed in a shared batch and has been handled alone since. */
  isAlone: boolean
  isBusy: boolean
  /** Lines in the next attempt: one after a failure, doubled after each success. */
  limit: number
  failures: number
  /** Number of failures that were refusals of the first line alone. */
  refused: number
  error: string
  retryAt: number
}

/** Most catch-ups of a consumer that are handled alone at the same time. */
const MAX_BUSY = 16
/** Most catch-ups that are read and handled together. */
const MAX_TOGETHER = 32
const MAX_LISTED = 10
export type CatchUps = ReturnType<typeof createCatchUps>

/** The catch-ups of one consumer: few, since only sessions that are behind have one. */
export function createCatchUps(defaults: Pick<CatchUp, 'isAlone' | 'limit'>) {
  const catchUps = new Map<string, CatchUp>()
  const isDue = (catchUp: CatchUp, isAlone: boolean): boolean =>
    !catchUp.isBusy &&
    catchUp.isAlone === isAlone &&
    !catchUp.isStale &&
    hasMore(catchUp) &&
    catchUp.retryAt <= Date.now()
  const listOf = (matches: (catchUp: CatchUp) => boolean): CatchUp[] => [...catchUps.values()].filter(matches)

  return {
    size: () => catchUps.size,
    get: (session: string) => catchUps.get(session),
    isCurrent: (catchUp: CatchUp) => catchUps.get(catchUp.session) === catchUp,
    open(session: string, fields: Partial<CatchUp>): void {
      const blank = { ...defaults, seq: undefined, newest: 0, behind: 0, isStale: false, isBusy: false }
      catchUps.set(session, { session, ...blank, failures: 0, refused: 0, error: '', retryAt: 0, ...fields })
    },
    close: (session: string) => void catchUps.delete(session),
    stale: () => listOf(({ isStale }) => isStale),
    together: () => listOf((catchUp) => isDue(catchUp, false)).slice(0, MAX_TOGETHER),
    alone: () =>
      listOf((catchUp) => isDue(catchUp, true)).slice(0, Math.max(0, MAX_BUSY - listOf(isBusy).length)),
    /** Closes the catch-ups that have caught up with the lines of all sessions, which are handled up to `seq`. */
    closeUpTo(seq: number): void {
      for (const catchUp of catchUps.values())
        if (!catchUp.isStale && !catchUp.isBusy && !hasMore(catchUp) && (catchUp.seq ?? 0) <= seq)
          catchUps.delete(catchUp.session)
    },
    /** Puts a catch-up behind the others. */
    rotate(catchUp: CatchUp): void {
      if (catchUps.get(catchUp.session) !== catchUp) return
      catchUps.delete(catchUp.session)
      catchUps.set(catchUp.session, catchUp)
    },
    /** Milliseconds until the first waiting catch-up is due; undefined if none waits or every slot is taken. */
    wait(): number | undefined {
      const waiting = listOf(
        (catchUp) => !catchUp.isBusy && !catchUp.isStale && hasMore(catchUp) && catchUp.retryAt > 0,
      )
      if (waiting.length === 0 || listOf(isBusy).length >= MAX_BUSY) return undefined
      return Math.max(1, Math.min(...waiting.map(({ retryAt }) => retryAt)) - Date.now())
    },
    state(): Pick<ConsumerState, 'lag' | 'behind'> {
      const open = listOf(hasMore).sort((a, b) => b.behind - a.behind)
      return {
        lag: open.reduce((sum, catchUp) => sum + catchUp.behind, 0),
        behind: open.slice(0, MAX_LISTED).map(({ session, behind: lag, failures, error, retryAt }) => ({
          session,
          lag,
          failures,
          error,
          retryAt,
        })),
      }
    },
  }
}

const hasMore = ({ seq, newest }: CatchUp): boolean => newest > (seq ?? 0)
const isBusy = (catchUp: CatchUp): boolean => catchUp.isBusy
