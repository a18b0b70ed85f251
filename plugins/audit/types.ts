/** Who did what to whom, from where, and how it ended. */
export interface AuditEntry {
  /** `admin`, the id of a session, or `wamux`. */
  readonly actor: string
  readonly address: string
  /** `session.delete` */
  readonly action: string
  /** Id of the session that it was done to; '' for none. */
  readonly target: string
  /** `ok`, or the code of the error. */
  readonly result: string
  /** Id of the request, as in the log and in the answer's `X-Request-Id`. */
  readonly request: string
}

export interface AuditRow extends AuditEntry {
  readonly seq: number
  readonly time: string
  /** SHA-256 of this row and of the hash of the one before. */
  readonly hash: string
}

/** How a check of the whole chain ended. */
export interface AuditVerdict {
  readonly isWhole: boolean
  readonly rows: number
  /** The newest row's; who keeps it elsewhere can tell later whether the end was cut off. */
  readonly hash: string
  /** Where it breaks, and why; absent when it doesn't. */
  readonly brokenAt?: number
  readonly why?: string
}

/** The audit log: append-only, each row's hash covers the one before. */
export interface Audit {
  /** Rows after `seq`, oldest first. */
  after(seq: number, limit: number): Promise<AuditRow[]>
  /** Reads all of it and tells whether a row was changed, added or taken out. */
  verify(): Promise<AuditVerdict>
}
