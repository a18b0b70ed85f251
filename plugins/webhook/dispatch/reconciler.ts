/** Runs one function, never twice at once; requests during a run lead to one more run after it. */
export interface Reconciler {
  readonly isStopped: boolean
  request(): void
  /** Requests a run at that time, in place of the time set before; Infinity for none. */
  requestAt(time: number): void
  /** Resolves when the current run has ended; none starts after it. */
  stop(): Promise<void>
}

const RETRY_MS = 1_000

/** @param onError receives the error of a run that failed; the next run follows after a second. */
export function createReconciler(
  reconcile: () => Promise<void>,
  onError: (error: unknown) => void,
): Reconciler {
  let phase: 'idle' | 'running' | 'requested' | 'stopped' = 'idle'
  let runs: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  function request(): void {
    if (phase === 'stopped') return
    const isIdle = phase === 'idle'
    phase = 'requested'
    if (isIdle) runs = run()
  }
  function requestAt(time: number): void {
    clearTimeout(timer)
    if (time === Number.POSITIVE_INFINITY || phase === 'stopped') return
    timer = setTimeout(request, Math.max(1, time - Date.now()))
  }
  async function run(): Promise<void> {
    while (phase === 'requested') {
      phase = 'running'
      await reconcile().catch(failed)
    }
    if (phase === 'running') phase = 'idle'
  }
  function failed(error: unknown): void {
    onError(error)
    if (phase === 'requested') phase = 'running'
    requestAt(Date.now() + RETRY_MS)
  }

  return {
    get isStopped() {
      return phase === 'stopped'
    },
    request,
    requestAt,
    async stop() {
      phase = 'stopped'
      clearTimeout(timer)
      await runs
    },
  }
}
