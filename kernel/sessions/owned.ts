import { setTimeout as sleep } from 'node:timers/promises'
import { type Backoff, backoff } from '../async/backoff.ts'
import { type GatewayError, gatewayError } from '../errors.ts'
import type { Ownership } from '../types/ownership.ts'

export type Serving = ReturnType<typeof createServing>

/** Which sessions this process serves. */
export function createServing(ownership: () => Ownership) {
  const owns = (id: string): boolean => ownership().owns(id)
  const refusal = (id: string): GatewayError => gatewayError('NOT_OWNED', [], { details: id })
  return {
    owns,
    refusal,
    /** Whether it may still send for the session. */
    holds: (id: string) => ownership().holds?.(id) ?? true,
    watch: (listener: Parameters<Ownership['watch']>[0]) => ownership().watch(listener),
    assertOwned(id: string): void {
      if (!owns(id)) throw refusal(id)
    },
    /** A link opened without the lease would end the owner's link. */
    async claim(id: string): Promise<void> {
      const { claim } = ownership()
      if (!(claim ? await claim(id) : owns(id))) throw refusal(id)
    },
  }
}

/**
 * State that a process keeps for each session that it serves. It follows only changes of the owner: sessions that the
 * process has served since its start are not opened, and a process that is alone on its database sees no change.
 */
export interface Owned<S> {
  /** Begins to follow the ownership. */
  start(): void
  /** The result of `open` for a gained session; undefined before, and for a session that was never gained. */
  of(session: string): S | undefined
  /** Whether it was gained and is not open yet; true already in the tick in which it is gained. */
  isPending(session: string): boolean
  /**
   * Resolves at once unless the session is pending, otherwise when it is open or lost again. Rejects with the last error of
   * `open`.
   */
  ready(session: string): Promise<void>
  /** Stops following; resolves when the current calls have ended. */
  stop(): Promise<void>
}

export interface OwnedParts<S> {
  ownership: Pick<Ownership, 'watch'>
  /** Called for a gained session, whose stored data another process may have changed. Repeated if it fails. */
  open(session: string): S | Promise<S>
  /** Called for a lost session, even if it was not gained before; the session is handed over when this has ended. */
  close?(session: string, state: S | undefined): unknown
  onError(error: unknown, session: string): void
  retry?: Backoff
}

const RETRY: Backoff = { first: 1_000, most: 30_000 }

/** `open` and `close` of one session run one after the other, in the order of the changes; outdated changes are skipped. */
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
    // Waits only for the first attempt.
    return Promise.race([opened, ready(session).catch(() => undefined)])
  }

  /** Begins at once if no earlier call is running. */
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
  /** The current attempt, or the last one, which failed. */
  attempt: Promise<void> | undefined
}
