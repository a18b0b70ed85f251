declare module 'wamux/plugin' {
  interface GatewayContributions {
    sessionBacklogs: SessionBacklogs
    sessionKeys: SessionKeys
  }
}

/** Deliveries that wait, as the plugin that makes them counts them: for the summaries of sessions. */
export interface SessionBacklogs {
  /** Sessions without any are left out. */
  bySession(): Promise<ReadonlyMap<string, SessionBacklog>>
}

export interface SessionBacklog {
  readonly count: number
  /** When the oldest of them was enqueued, in milliseconds since 1970. */
  readonly since: number
}

/** Keys that were created with the tokens of a session. */
export interface SessionKeys {
  /** Revokes those of a session whose token is replaced; resolves with their number. */
  revokeOf(session: string): Promise<number>
}
