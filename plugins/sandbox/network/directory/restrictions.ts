/** Restrictions that faults impose on one account. */
export interface Restrictions {
  /** Until when it may not start new chats (Unix seconds). */
  lockedUntil: number
  /** How many new chats it may start; undefined for no limit. */
  newChats: { total: number; used: number } | undefined
  /** Whether its key bundles cannot be fetched, as for an account that is being deleted. */
  isKeyless: boolean
  /** Queries of this xmlns, or all queries of its companions, are refused `left` more times. */
  refused: { xmlns: string | undefined; code: number; left: number } | undefined
}

export function newRestrictions(): Restrictions {
  return { lockedUntil: 0, newChats: undefined, isKeyless: false, refused: undefined }
}
