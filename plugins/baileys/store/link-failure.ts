import { type Events, isGatewayError, type PluginDb } from 'wamux/plugin'

/**
 * What a link writes builds on what it read and wrote before. After its first failure of the storage nothing that is not
 * committed yet is written any more: a later write may not stand without the one that failed.
 */
export interface LinkFailure {
  /** Aborted by the first failure. */
  readonly signal: AbortSignal
  /** The first failure; undefined as long as there is none. */
  readonly failure: unknown
  /** The storage, which writes nothing after the failure. */
  readonly db: PluginDb
  readonly events: Events
  /** Reports a failure of the storage; only the first one counts. */
  fail(error: unknown): void
  /** Calls the listener with the first failure, after what is not committed yet is given up. */
  onFailed(listener: (error: unknown) => void): void
  /** Baileys rejects open calls with a closed connection; the failure of the storage that caused it is more precise. */
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
