import { createInterval, type Log, type Peers, reasonOf } from 'wamux/plugin'
import { ENDPOINTS_TOPIC, type Endpoints } from '../endpoints/endpoints.ts'
import { createReconciler } from './reconciler.ts'

export interface SharedParts {
  peers: Peers
  log: Log
  endpoints: Endpoints
  /** Whether this process delivers to the receivers of all sessions. */
  hasTask(): boolean
  /** Reads again what is to be delivered to those. */
  rewind(): void
  /** Stops delivering to those. */
  lose(): void
  /** Another process has changed an endpoint. */
  changed(id: string): void
}

/** Deliveries to receivers of all sessions were stored. */
const STORED_TOPIC = 'webhook.stored'
/** At most twice a second. */
const PAUSE_MS = 500
/** A change of the process that has the task is not announced. */
const TASK_MS = 2_000

/** What the processes that share the database tell each other of endpoints, and of deliveries to receivers of all sessions. */
export function createShared({ peers, log, endpoints, hasTask, rewind, lose, changed }: SharedParts) {
  const stopped = new AbortController()
  const pause = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref())
  const failed = (error: unknown): void =>
    log.error({ reason: reasonOf(error) }, 'reading what other processes changed failed')
  const rewinding = createReconciler(async () => {
    if (!hasTask()) return
    rewind()
    await pause()
  }, failed)
  const loading = createReconciler(async () => {
    for (const id of await endpoints.load()) changed(id)
    await pause()
  }, failed)
  let had = false
  const watching = createInterval(
    TASK_MS,
    async () => {
      if (peers.isAlone || had === hasTask()) return
      had = hasTask()
      if (!had) return lose()
      loading.request()
      rewinding.request()
    },
    failed,
  )

  return {
    start() {
      const unlisten = [
        peers.listen(STORED_TOPIC, () => !peers.isAlone && rewinding.request()),
        peers.listen(ENDPOINTS_TOPIC, () => !peers.isAlone && loading.request()),
      ]
      stopped.signal.addEventListener('abort', () => {
        for (const end of unlisten) end()
      })
      watching.start()
    },
    /** Wakes the process that has the task. */
    stored: () => peers.notify(STORED_TOPIC),
    async stop() {
      stopped.abort()
      await Promise.all([watching.stop(), rewinding.stop(), loading.stop()])
    },
  }
}
