import { type Events, isGatewayError, type PluginDb } from 'wamux/plugin'

/**
 * What a link writes builds on what it read and wrote before. After its first failure of the storage nothing that is not
 * committed yet is written any more: a later write may not stand without the one that failed.
 */
export interface Fence {
  /** Aborted by the first failure. */
  readonly signal: AbortSignal
  /** The first failure; undefined as long as there is none. */
  readonly failure: unknown
  /** The storage, behind the fence. */
  readonly db: PluginDb
  readonly events: Events
  /** @returns whether it was the first one. */
  fail(error: unknown): boolean
  /** Baileys rejects open calls with a closed connection; the failure of the storage that caused it is more precise. */
  orFailure<T>(work: Promise<T>): Promise<T>
}

export function createFence(db: PluginDb, events: Events): Fence {
  const controller = new AbortController()
  const { signal } = controller
  return {
    signal,
    get failure() {
      return signal.aborted ? signal.reason : undefined
    },
    db: { ...db, write: (writes, options) => db.write(writes, { ...options, fence: signal }) },
    events: {
      ...events,
      raise: (session, name, data, writes, options) =>
        events.raise(session, name, data, writes, { ...options, fence: signal }),
    },
    fail(error) {
      if (signal.aborted) return false
      controller.abort(error)
      return true
    },
    orFailure: (work) =>
      work.catch((error: unknown) => {
        throw isGatewayError(signal.reason) ? signal.reason : error
      }),
  }
}
