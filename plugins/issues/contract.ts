declare module 'wamux/plugin' {
  interface GatewayContributions {
    issues: IssueSource
  }
}

/**
 * What a plugin knows that needs a person now. It is asked at each request and every few seconds, so an issue ends when its
 * source leaves it out.
 * Where several processes share the database, a source lists the sessions that its process serves, and what has no session.
 */
export interface IssueSource {
  list(): Promise<readonly Issue[]>
}

/**
 * One fact, of one session or of the gateway. Issues with the same cause and subject are shown as one; those of one session
 * are the same issue.
 */
export interface Issue {
  /** Lower-case words with dashes, for example `webhook-failing`. */
  readonly cause: string
  /** `error`: something does not work; `warning`: it soon will not, or works less well. */
  readonly level: 'error' | 'warning'
  /** What it is about, for example the host of a receiver; '' for the session itself. */
  readonly subject: string
  /** Id of the session; '' for the gateway: only operators see those. */
  readonly session: string
  /** Why, in words. */
  readonly reason: string
  /** What a person does about it. */
  readonly remedy: string
  /** The request that fixes it, for example `POST /session/connect`; absent if no request does. */
  readonly request?: string
  /** Where the dashboard mends it, for example `/link/4f2a`; absent if nowhere. */
  readonly screen?: string
  /** The same if several sessions have the issue. */
  readonly screenOfMany?: string
  /** When it began, milliseconds since 1970; 0 if that is unknown. */
  readonly since: number
  /** How many things wait for it, for example deliveries. */
  readonly waiting?: number
}
