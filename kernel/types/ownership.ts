/** Which sessions this process may serve: all of them, unless several processes share one database. */
export interface Ownership {
  /** Name of this process among those that share the database; the same after a restart. */
  readonly name?: string
  owns(session: string): boolean
  /** Whether it may still send for the session: as `owns`, and also while it hands the session over. */
  holds?(session: string): boolean
  /**
   * Calls `listener` when a session is gained or lost; returns the function that stops it. A session is handed over once all
   * promises returned by the listeners have settled.
   */
  watch(listener: (session: string, isOwned: boolean) => void | Promise<void>): () => void
  /** Claims a session if no other process has it; resolves with whether this process has it, according to the database. */
  claim?(session: string): Promise<boolean>
  /**
   * The first statement of a transaction that writes rows of the session. It fails with the SQLSTATE `FENCED_STATE` unless
   * the database records this process as the owner, which then cannot change until the transaction ends. For several
   * sessions, the transaction begins with each session's fence, in byte order. Throws FENCED if that is known without the
   * database.
   */
  fence?(session: string): Fence
  /**
   * A seq below which no further line of the log can appear: commits of several processes are not in the order of seq.
   * Absent if one process writes.
   */
  horizon?(): Promise<number>
  /** Whether it hands its sessions over, or has done so, and takes no others. */
  isDraining?(): boolean
  /** Hands over every session; called before the process stops serving requests. */
  drain?(): Promise<void>
}

/** How a process shares its database with others. */
export interface Sharing {
  /** Name of this process, for the list of the database's connections. */
  readonly node: string
  /** Milliseconds after which others take over the sessions of a silent process. */
  readonly leaseMs: number
}

/** An SQL statement, with `$1`, `$2` … for its values in order. */
export interface Fence {
  readonly text: string
  readonly values: readonly string[]
}

/** For the only process on its database. */
export const ALL_OWNED: Ownership = { owns: () => true, watch: () => () => undefined }

/** SQLSTATE of a transaction by a process that is not the owner. */
export const FENCED_STATE = '22W01'
