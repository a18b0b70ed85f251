import { setTimeout as sleep } from 'node:timers/promises'
import { type Backoff, backoff } from '../async/backoff.ts'
import type { Ownership } from '../types/ownership.ts'

/**
 * State that a process keeps for each session that it serves. Only changes of the owner are followed: sessions that the
 * process serves from its start on are not opened, and a process that is alone on its database sees no change.
 */
export interface Owned<S> {
  /** Follows the ownership from here on. */
  start(): void
  /** What `open` has made of a session that was gained; undefined before, and for a session that never was. */
  of(session: string): S | undefined
  /** Whether it was gained and is not open yet; true in the very turn in which it is gained. */
  isPending(session: string): boolean
  /** Resolves at once unless the session is pending; then once it is open, or lost again. Rejects as the last `open` that failed. */
  ready(session: string): Promise<void>
  /** Follows no longer; resolves when the calls under way have ended. */
  stop(): Promise<void>
}

export interface OwnedParts<S> {
  ownership: Pick<Ownership, 'watch'>
  /** Called for a session that is gained: another process may have changed all that is stored of it. Repeated if it fails. */
  open(session: string): S | Promise<S>
  /** Called for a session that is lost, also where it was not gained before; it is given away when this has ended. */
  close?(session: string, state: S | undefined): unknown
  onError(error: unknown, session: string): void
  retry?: Backoff
}

const RETRY: Backoff = { first: 1_000, most: 30_000 }

/** For each session `open` and `close` run one after the other, in the order of the changes; outdated changes are skipped. */
export function createOwned<S = void>(parts: OwnedParts<S>): Owned<S> {
  const { ownership, open, close, onError, retry = RETRY } = parts
  const states = new Map<string, S>()
  const gains = new Map<string, Gain>()
  const last = new Map<string, Promise<void>>()
  const stopped = new AbortController()
  let unwatch = (): void => undefined

  function follow(session: string, isOwned: boolean): Promise<void> {
    gains.delete(session)
    if (!isOwned) return enter(session, () => end(session))
    const gain: Gain = { before: last.get(session), attempt: undefined }
    gains.set(session, gain)
    const opened = enter(session, () => begin(session, gain))
    // Further tries are not waited for.
    return Promise.race([opened, ready(session).catch(() => undefined)])
  }

  /** Without an earlier call it begins at once. */
  function enter(session: string, job: () => Promise<void>): Promise<void> {
    const work = last.get(session)?.then(job) ?? job()
    last.set(session, work)
    void work.finally(() => {
      if (last.get(session) === work) last.delete(session)
    })
    return work
  }

  async function begin(session: string, gain: Gain): Promise<void> {
    for (let failures = 0; gains.get(session) === gain && !stopped.signal.aborted; failures += 1) {
      gain.attempt = reopen(session)
      try {
        await gain.attempt
        if (gains.get(session) === gain) gains.delete(session)
        return
      } catch (error) {
        onError(error, session)
        await sleep(backoff(retry, failures), undefined, { signal: stopped.signal }).catch(() => undefined)
      }
    }
  }

  async function reopen(session: string): Promise<void> {
    if (states.has(session)) await end(session)
    states.set(session, await open(session))
  }

  async function end(session: string): Promise<void> {
    const state = states.get(session)
    states.delete(session)
    try {
      await close?.(session, state)
    } catch (error) {
      onError(error, session)
    }
  }

  async function ready(session: string): Promise<void> {
    const gain = gains.get(session)
    if (!gain) return
    await gain.before
    await gain.attempt
  }

  return {
    start() {
      unwatch = ownership.watch(follow)
    },
    of: (session) => states.get(session),
    isPending: (session) => gains.has(session),
    ready,
    async stop() {
      unwatch()
      stopped.abort()
      await Promise.all(last.values())
    },
  }
}

interface Gain {
  /** Settles when the session's earlier changes have been applied. */
  readonly before: Promise<void> | undefined
  /** The try under way, or the last one, which has failed. */
  attempt: Promise<void> | undefined
}
