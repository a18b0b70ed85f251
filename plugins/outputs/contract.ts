import type { LogEvent } from 'wamux/plugin'

/** One event as an output publishes it. */
export interface OutputMessage {
  /** Id of the event, equal on every try: the id of the message where the broker has one. */
  readonly id: string
  readonly type: string
  /** Id of the session. */
  readonly session: string
  /** RFC 3339. */
  readonly time: string
  /** The output's pattern, filled in for this event: a subject, a topic, a routing key or a stream. */
  readonly address: string
  /** JSON as webhooks receive it, with a link in place of a file. */
  readonly body: string
}

/** A broker that events are published to: `contributes: { outputs: (deps) => ({ … }) }`. */
export interface Output {
  /** The broker's address, without credentials. */
  readonly broker: string
  /** Types or classes of the events that it gets; all when empty. */
  readonly types: readonly string[]
  /** Names or ids of the sessions whose events it gets; all when empty. */
  readonly sessions: readonly string[]
  /** Address of each event, with `{session}` (its name), `{id}` (of the session), `{type}` and `{class}` in it. */
  readonly pattern: string
  /** Messages that may wait for their confirmation at the same time. */
  readonly window: number
  /** Milliseconds within which a message must be confirmed. */
  readonly timeoutMs: number
  /** Why it can not publish at the moment; '' while it is connected. */
  problem(): string
  /**
   * Resolves when the broker has confirmed that it has the message. Called in the order of the events. Rejects
   * OUTPUT_REFUSED where the broker will never accept this message, which then becomes a dead letter; after any other
   * error all that is not confirmed is published again until it is.
   */
  publish(message: OutputMessage): Promise<void>
}

/** The outputs of all plugins. */
export interface Outputs {
  /**
   * What the `consume` of a plugin with an output calls. Resolves when all of the events that the output gets are confirmed.
   * Rejects OUTPUT_REFUSED, or PLUGIN_UNAVAILABLE while the broker is down.
   */
  publish(plugin: string, events: readonly LogEvent[]): Promise<void>
  states(): OutputState[]
}

export interface OutputState {
  /** Name of the plugin. */
  readonly name: string
  readonly broker: string
  readonly isConnected: boolean
  /** Confirmed messages since the start. */
  readonly published: number
  /** Tries that have failed. */
  readonly failed: number
  /** Why it is not connected, or why the last try failed; '' if it succeeded. */
  readonly error: string
  /** `Date.now()` of the last confirmation; 0 before the first. */
  readonly publishedAt: number
}

declare module 'wamux/plugin' {
  interface GatewayContributions {
    outputs: Output
  }
  interface GatewayServices {
    outputs: Outputs
  }
}
