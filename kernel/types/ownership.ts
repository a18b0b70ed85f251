/** Which sessions this process may serve: all of them, unless several processes share one database. */
export interface Ownership {
  owns(session: string): boolean
  /** Whether it may still send for the session: as `owns`, and also while it gives the session away. */
  holds?(session: string): boolean
  /**
   * Calls `listener` when a session is gained or lost; returns the function that stops it. A session that is handed over is
   * given away once everything that the listeners returned has settled.
   */
  watch(listener: (session: string, isOwned: boolean) => void | Promise<void>): () => void
  /** Makes a session this process's own if no other one has it; resolves with whether it is, as the database has it. */
  claim?(session: string): Promise<boolean>
  /**
   * What a transaction begins with that writes rows of the session. It fails with the SQLSTATE `FENCED_STATE` unless the
   * database has the session as this process's own, which it stays until the transaction ends. Of several sessions, the
   * transaction begins with each session's fence, in byte order. Throws FENCED where it is known without the database.
   */
  fence?(session: string): Fence
  /**
   * A seq such that no line of the log below it can appear any more: commits of several processes are not in the order of
   * seq. Absent where one process writes.
   */
  horizon?(): Promise<number>
  /** Gives every session away; called before the process stops to serve requests. */
  drain?(): Promise<void>
}

/** A statement of SQL, with `$1`, `$2` … for its values in their order. */
export interface Fence {
  readonly text: string
  readonly values: readonly string[]
}

/** For the only process on its database. */
export const ALL_OWNED: Ownership = { owns: () => true, watch: () => () => undefined }

/** SQLSTATE of a transaction that was not the owner's. */
export const FENCED_STATE = '22W01'
