import { type GatewayServices, type Log, reasonOf, type Sessions } from 'wamux/plugin'
import { attempt, type Outcome } from './attempt.ts'
import type { WebhookConfig } from './config.ts'
import type { Deliveries, Delivery } from './deliveries.ts'
import { createLanes, type Lane } from './lanes.ts'
import type { Secrets } from './secrets.ts'

/** Works the table off: in each lane one after the other, lanes side by side. */
export interface Dispatcher {
  /** There is something new. */
  wake(): void
  /** Waits for the requests in hand; what is not done stays pending. */
  stop(): Promise<void>
}

interface Deps {
  config: WebhookConfig
  deliveries: Deliveries
  secrets: Secrets
  http: GatewayServices['http']
  sessions: Sessions
  log: Log
}

/** Rows kept in memory; a backlog of any size stays in the table. */
const WINDOW = 1_000
/** A net under the wake-up calls. */
const SWEEP_MS = 1_000

export function createDispatcher(deps: Deps): Dispatcher {
  const { config, deliveries, secrets, http, sessions, log } = deps
  const lanes = createLanes()
  const busy = new Map<string, number>()
  const running = new Set<Promise<void>>()
  /** Newest row that was taken into memory, or left to a waiting lane. */
  let loaded = 0
  let filling: Promise<void> | undefined
  let isAgain = false
  let isStopped = false
  const sweep = setInterval(wake, SWEEP_MS)

  function wake(): void {
    if (isStopped) return
    isAgain = true
    filling ??= fill()
      .catch((error: unknown) => log.error({ reason: reasonOf(error) }, 'deliveries could not be read'))
      .finally(() => {
        filling = undefined
      })
  }

  async function fill(): Promise<void> {
    while (isAgain && !isStopped) {
      isAgain = false
      await lanes.revive(Date.now(), (lane, from) => deliveries.pendingOf(lane, from, loaded, WINDOW / 10))
      while (lanes.size() < WINDOW) {
        const page = await deliveries.pending(loaded, WINDOW / 2)
        for (const delivery of page) {
          loaded = delivery.seq
          lanes.add(delivery)
        }
        if (page.length < WINDOW / 2) break
      }
      start()
    }
  }

  function start(): void {
    for (const lane of lanes.ready()) {
      const [head] = lane.queue
      if (isStopped || !head) continue
      const count = busy.get(head.session) ?? 0
      if (count >= config.parallel) continue
      busy.set(head.session, count + 1)
      lane.isBusy = true
      const work = run(lane, head).finally(() => {
        running.delete(work)
        lane.isBusy = false
        busy.set(head.session, (busy.get(head.session) ?? 1) - 1)
        lanes.settle(lane)
        if (lane.isShort || lanes.size() < WINDOW / 2) wake()
        start()
      })
      running.add(work)
    }
  }

  async function run(lane: Lane, delivery: Delivery): Promise<void> {
    try {
      await finish(lane, delivery, await deliver(delivery))
    } catch (error) {
      // The table can't be written now: the row is as it was, and comes again.
      log.error({ seq: delivery.seq, reason: reasonOf(error) }, 'delivery could not be recorded')
      lanes.park(lane, Date.now() + SWEEP_MS)
    }
  }

  async function deliver(delivery: Delivery): Promise<Outcome | undefined> {
    const session = await sessions.byId(delivery.session)
    if (!session?.webhook) return undefined
    return attempt(http, config, session, await secrets.of(session.id), delivery)
  }

  async function finish(lane: Lane, delivery: Delivery, outcome: Outcome | undefined): Promise<void> {
    if (outcome?.kind === 'done') await deliveries.done(delivery, outcome.status)
    else if (!outcome) await deliveries.failed(delivery, 'no webhook is set', undefined)
    else if (outcome.kind === 'gone') await close(delivery)
    else {
      const nextAt = dueAgain(config, delivery, outcome.after)
      log.warn(
        { seq: delivery.seq, attempt: delivery.attempts + 1, reason: outcome.reason, nextAt },
        'delivery failed',
      )
      await deliveries.failed(delivery, outcome.reason, nextAt)
      if (nextAt !== undefined) return lanes.park(lane, nextAt)
    }
    lane.queue.shift()
  }

  /** The receiver answered 410: it wants nothing more of this session. */
  async function close(delivery: Delivery): Promise<void> {
    await sessions.update(delivery.session, { webhook: '' })
    await deliveries.failed(delivery, 'status 410: the receiver wants no more', undefined)
    log.warn({ session: delivery.session }, 'the webhook was removed: its receiver answered 410')
  }

  return {
    wake,
    async stop() {
      isStopped = true
      clearInterval(sweep)
      await filling
      await Promise.all(running)
    },
  }
}

/** When to try again, milliseconds since 1970; undefined when that was the last attempt. */
function dueAgain(
  config: WebhookConfig,
  { attempts }: Delivery,
  after: number | undefined,
): number | undefined {
  const seconds = config.retrySeconds[attempts]
  if (seconds === undefined) return undefined
  const jittered = seconds * 1000 * (0.8 + 0.4 * Math.random())
  // Whole milliseconds: PostgreSQL takes no fraction for a bigint.
  return Date.now() + Math.round(Math.max(after ?? 0, jittered))
}
