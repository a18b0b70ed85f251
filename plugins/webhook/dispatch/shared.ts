import { coalesce, createInterval, type Log, type Peers, reasonOf, type Sessions } from 'wamux/plugin'
import { ENDPOINTS_TOPIC, type Endpoints } from '../endpoints/endpoints.ts'

export interface SharedParts {
  peers: Peers
  log: Log
  endpoints: Endpoints
  sessions: Pick<Sessions, 'list'>
  /** Whether this process delivers to the receivers of all sessions. */
  hasTask(): boolean
  /** Rereads the deliveries to those. */
  rewind(): void
  /** Stops delivering to those. */
  lose(): void
  /** Another process has changed an endpoint. */
  changed(id: string): void
}

/** Says that deliveries to receivers of all sessions were stored. */
const STORED_TOPIC = 'webhook.stored'
/** At most twice a second. */
const PAUSE_MS = 500
const RETRY = { first: 1_000, most: 1_000 }
/** How often the sessions of other processes are read. */
const LIST_MS = 5_000
/** Interval of checks, because a change of the task's owner is not announced. */
const TASK_MS = 2_000

/** The messages between processes that share the database: changed endpoints, and deliveries to receivers of all sessions. */
export function createShared(parts: SharedParts) {
  const { peers, log, endpoints, sessions, hasTask, rewind, lose, changed } = parts
  let listedAt = 0
  const stopped = new AbortController()
  const pause = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref())
  const failed = (error: unknown): void =>
    log.error({ reason: reasonOf(error) }, 'reading what other processes changed failed')
  const rewinding = coalesce(
    async () => {
      if (!hasTask()) return
      // Deliveries of a session unknown to this process can't be decrypted.
      if (Date.now() - listedAt >= LIST_MS) {
        await sessions.list()
        listedAt = Date.now()
      } else rewinding.requestAt(listedAt + LIST_MS)
      rewind()
      await pause()
    },
    { onError: failed, retry: RETRY },
  )
  const loading = coalesce(
    async () => {
      for (const id of await endpoints.load()) changed(id)
      await pause()
    },
    { onError: failed, retry: RETRY },
  )
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
