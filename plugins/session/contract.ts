declare module 'wamux/plugin' {
  interface GatewayContributions {
    sessionBacklogs: SessionBacklogs
    sessionKeys: SessionKeys
  }
}

/** Numbers of pending deliveries from the plugin that makes them, for the summaries of sessions. */
export interface SessionBacklogs {
  /** Sessions without any are left out. */
  bySession(): Promise<ReadonlyMap<string, SessionBacklog>>
}

export interface SessionBacklog {
  readonly count: number
  /** When the oldest one was enqueued, milliseconds since 1970. */
  readonly since: number
}

/** Keys created with the tokens of a session. */
export interface SessionKeys {
  /** Revokes the keys of a session whose token is replaced; resolves with their number. */
  revokeOf(session: string): Promise<number>
}
