import { type Events, isFenced, isGatewayError, type Log, type PluginDb, storageErrorIn } from 'wamux/plugin'

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
  /**
   * Whether an error is of the content that was being read, which anybody may have sent: neither of the storage nor of a link that
   * has failed. It comes back with the same content, and must not end the link.
   */
  isOfContent(error: unknown): boolean
  /** The last resort for what was received: logs an error of the content, reports any other one. */
  received(error: unknown): void
  /** Calls the listener with the first failure, after uncommitted writes are given up. */
  onFailed(listener: (error: unknown) => void): void
  /** Replaces the error of `work` by the storage failure that caused it: Baileys only reports a closed connection. */
  orFailure<T>(work: Promise<T>): Promise<T>
}

export function createLinkFailure(db: PluginDb, events: Events, log: Pick<Log, 'error'>): LinkFailure {
  const controller = new AbortController()
  const listeners: ((error: unknown) => void)[] = []
  const { signal } = controller
  const isOfContent = (error: unknown): boolean =>
    !signal.aborted && !storageErrorIn(error) && !isFenced(error)
  function fail(error: unknown): void {
    if (signal.aborted) return
    controller.abort(error)
    for (const listener of listeners) listener(error)
  }
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
      unreadable: (session, name, error, writes, options) =>
        events.unreadable(session, name, error, writes, { ...options, signal }),
    },
    fail,
    isOfContent,
    received(error) {
      if (isOfContent(error)) log.error({ err: error }, 'something received could not be processed')
      else fail(error)
    },
    onFailed: (listener) => void listeners.push(listener),
    orFailure: (work) =>
      work.catch((error: unknown) => {
        throw isGatewayError(signal.reason) ? signal.reason : error
      }),
  }
}
