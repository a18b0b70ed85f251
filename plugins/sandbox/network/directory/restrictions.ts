export interface RefusedQueries {
  readonly xmlns: string | undefined
  readonly code: number
  /** Seconds, as the attribute `backoff` of the error; undefined for none. */
  readonly backoff: number | undefined
  left: number
}

/** Restrictions that faults impose on one account. */
export interface AccountRestrictions {
  /** Time until which it may not start new chats (Unix seconds). */
  lockedUntil: number
  /** Number of new chats that it may start; undefined for no limit. */
  newChats: { total: number; used: number } | undefined
  /** Whether its key bundles can't be fetched, as for an account that is being deleted. */
  isKeyless: boolean
  /** Queries of this xmlns, or all queries of its companions, are refused `left` more times. */
  refused: RefusedQueries | undefined
}

export function newRestrictions(): AccountRestrictions {
  return { lockedUntil: 0, newChats: undefined, isKeyless: false, refused: undefined }
}
