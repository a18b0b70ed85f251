import { type Backoff, backoff } from './backoff.ts'
import { inProgress, startTimer, type Timer } from './clock.ts'

/** One function that never runs twice at once: requests during a run lead to one more run after it. */
export interface Coalesced {
  readonly isStopped: boolean
  /** Requests a run without allocating a promise. */
  request(): void
  /** Schedules a run (milliseconds since 1970), replacing the time set before; Infinity cancels it. */
  requestAt(time: number): void
  /**
   * Requests a run without waiting for a pause. Settles like the first run that begins after this call; resolves on stop.
   */
  run(): Promise<void>
  /** No further run begins; resolves when the current one has ended. */
  stop(): Promise<void>
}

export interface CoalesceOptions {
  /** Receives the error of each failed run. */
  onError?(error: unknown): void
  /** If set, a failed run is repeated after a pause, which requests do not shorten; otherwise it waits for the next request. */
  retry?: Backoff
  /** What `requestAt` schedules is repeated work: after a jump of the test clock it runs once (clock.ts). */
  isRepeated?: boolean
}

export function coalesce(
  work: () => void | Promise<void>,
  { onError = () => undefined, retry, isRepeated = false }: CoalesceOptions = {},
): Coalesced {
  let phase: 'idle' | 'running' | 'requested' | 'pausing' | 'stopped' = 'idle'
  let runs: Promise<void> = Promise.resolve()
  let timer: Timer | undefined
  let failures = 0
  let waiting: PromiseWithResolvers | undefined

  function request(): void {
    if (phase === 'running') phase = 'requested'
    if (phase !== 'idle') return
    phase = 'requested'
    runs = inProgress(runAll())
  }

  function requestAt(time: number): void {
    if (phase === 'pausing') return
    timer?.stop()
    if (time === Number.POSITIVE_INFINITY || phase === 'stopped') return
    timer = startTimer(Math.max(1, time - Date.now()), request, { isRepeated })
  }

  async function runAll(): Promise<void> {
    // Further requests of this tick join the run.
    await undefined
    while (phase === 'requested') {
      phase = 'running'
      const asked = waiting
      waiting = undefined
      try {
        await work()
        failures = 0
        asked?.resolve()
      } catch (error) {
        onError(error)
        asked?.reject(error)
        if (retry) pause(backoff(retry, failures))
        failures += 1
      }
    }
    if (phase === 'running') phase = 'idle'
    if (phase === 'stopped') waiting?.resolve()
  }

  function pause(ms: number): void {
    if (phase === 'stopped') return
    timer?.stop()
    phase = waiting ? 'requested' : 'pausing'
    if (!waiting) timer = startTimer(ms, endPause)
  }

  function endPause(): void {
    if (phase !== 'pausing') return
    timer?.stop()
    phase = 'idle'
    request()
  }

  return {
    get isStopped() {
      return phase === 'stopped'
    },
    request,
    requestAt,
    run() {
      if (phase === 'stopped') return Promise.resolve()
      waiting ??= withResolvers()
      const { promise } = waiting
      if (phase === 'pausing') endPause()
      else request()
      return promise
    },
    async stop() {
      phase = 'stopped'
      timer?.stop()
      await runs
      waiting?.resolve()
    },
  }
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>
  resolve(): void
  reject(error: unknown): void
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function withResolvers(): PromiseWithResolvers {
  let resolve = (): void => undefined
  let reject = (_error: unknown): void => undefined
  const promise = new Promise<void>((accept, refuse) => {
    resolve = accept
    reject = refuse
  })
  return { promise, resolve, reject }
}
