declare module 'wamux/plugin' {
  interface GatewayContributions {
    sessionActivity: SessionActivity
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

/** Times of messages from the plugin that stores them, for the summaries of sessions. */
export interface SessionActivity {
  /** When the last message was sent or received, milliseconds since 1970; sessions without any may be left out. */
  lastMessages(sessions: readonly string[]): Promise<ReadonlyMap<string, number>>
}

/** Keys created with the tokens of a session. */
export interface SessionKeys {
  /** Revokes the keys of a session whose token is replaced; resolves with their number. */
  revokeOf(session: string): Promise<number>
}
