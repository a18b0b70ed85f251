import { type Events, isGatewayError, type PluginDb } from 'wamux/plugin'

/**
 * A link's writes build on what it has read and written before. After its first storage failure nothing uncommitted is
 * written any more: a later write must not stand without the failed one.
 */
export interface LinkFailure {
  /** Aborted by the first failure. */
  readonly signal: AbortSignal
  /** The first failure; undefined without one. */
  readonly failure: unknown
  /** The storage; writes nothing after the failure. */
  readonly db: PluginDb
  readonly events: Events
  /** Reports a storage failure; only the first one counts. */
  fail(error: unknown): void
  /** Calls the listener with the first failure, after uncommitted writes are given up. */
  onFailed(listener: (error: unknown) => void): void
  /** Replaces the error of `work` by the storage failure that caused it: Baileys only reports a closed connection. */
  orFailure<T>(work: Promise<T>): Promise<T>
}

export function createLinkFailure(db: PluginDb, events: Events): LinkFailure {
  const controller = new AbortController()
  const listeners: ((error: unknown) => void)[] = []
  const { signal } = controller
  return {
    signal,
    get failure() {
      return signal.aborted ? signal.reason : undefined
    },
    db: { ...db, write: (writes, options) => db.write(writes, { ...options, signal }) },
    events: {
      ...events,
      raise: (session, name, data, writes, options) =>
        events.raise(session, name, data, writes, { ...options, signal }),
    },
    fail(error) {
      if (signal.aborted) return
      controller.abort(error)
      for (const listener of listeners) listener(error)
    },
    onFailed: (listener) => void listeners.push(listener),
    orFailure: (work) =>
      work.catch((error: unknown) => {
        throw isGatewayError(signal.reason) ? signal.reason : error
      }),
  }
}
