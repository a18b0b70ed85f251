/** One audited action: actor, source address, target and result. */
export interface AuditEntry {
  /** `admin`, the id of a session, `key:` and the id of a key, or `wamux`. */
  readonly actor: string
  readonly address: string
  /** `session.delete` */
  readonly action: string
  /** Id of the affected session or key; '' for none. */
  readonly target: string
  /** `ok`, or the code of the error. */
  readonly result: string
  /** What left the account, or would have without the error: `profile`, `fetch files.example`; '' for nothing. */
  readonly leaves: string
  /** Id of the request, as in the log and in the answer's `X-Request-Id`. */
  readonly request: string
}

export interface AuditRow extends AuditEntry {
  readonly seq: number
  readonly time: string
  /** SHA-256 of this row and the previous row's hash. */
  readonly hash: string
}

/** The result of verifying the whole chain. */
export interface ChainCheck {
  readonly isWhole: boolean
  readonly rows: number
  /** Hash of the newest row; a copy stored elsewhere reveals a truncated end. */
  readonly hash: string
  /** The first invalid row, and why; absent for a valid chain. */
  readonly brokenAt?: number
  readonly why?: string
}

export interface AuditRange {
  /** Bounds of the seq, exclusive. */
  readonly after: number
  readonly before?: number | undefined
  readonly isNewestFirst: boolean
  readonly limit: number
  /** Bounds of the time in the form of rows; `until` is exclusive. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** The audit log: append-only, with each row's hash covering the previous one. */
export interface Audit {
  /** Rows after `seq`, oldest first. */
  after(seq: number, limit: number): Promise<AuditRow[]>
  page(range: AuditRange): Promise<AuditRow[]>
  /** Reads the whole log and checks whether a row was changed, added or removed. */
  verify(): Promise<ChainCheck>
}
