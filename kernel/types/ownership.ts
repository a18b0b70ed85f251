/** Which sessions this process may serve: all of them, unless several processes share one database. */
export interface Ownership {
  owns(session: string): boolean
  /** Calls `listener` when a session is gained or lost; returns the function that stops it. */
  watch(listener: (session: string, isOwned: boolean) => void): () => void
}

/** Of a process that is alone on its database. */
export const ALL_OWNED: Ownership = { owns: () => true, watch: () => () => undefined }
