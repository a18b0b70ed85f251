import { randomBytes } from 'node:crypto'
import {
  ALL_OWNED,
  createKeyedQueue,
  type GatewayServices,
  gatewayError,
  type Kernel,
  type Ownership,
  systemViewer,
  type Write,
} from 'wamux/plugin'
import type { ScheduleConfig } from './config.ts'
import { sendTimeOf } from './send-time.ts'
import { OPEN, type Scheduled, type Store, toBytes } from './store.ts'

type Sender = GatewayServices['sender']
type SendArguments = Parameters<Sender['send']>

/** Stores messages for a later send. */
export interface Scheduler {
  /**
   * Stores the message that `content` builds, for `SendAt`. Rejects FIELD_INVALID, SCHEDULE_FULL, ID_REUSED, and like the
   * send itself for an invalid chat, context or file.
   */
  schedule(sender: Sender, ...send: SendArguments): Promise<{ scheduled: Scheduled; isReplay: boolean }>
  /** Rejects SCHEDULE_UNKNOWN, and SCHEDULE_ENDED for a due message. */
  cancel(session: string, id: string): Promise<Scheduled>
  /** Runs work on the scheduled messages of a session, one after the other. */
  serially<T>(session: string, work: () => Promise<T>): Promise<T>
  /** Logs the end of a message, together with `writes`. */
  report(
    type: 'MessageScheduled' | 'ScheduleCancelled' | 'ScheduleSent' | 'ScheduleFailed',
    scheduled: Scheduled,
    writes: readonly Write[],
    more?: { code?: string; error?: string; traceparent?: string | undefined },
  ): Promise<void>
}

type Deps = Pick<Kernel<ScheduleConfig>, 'config' | 'events'> &
  Pick<GatewayServices, 'jobs'> & { store: Store; ownership?: Ownership | undefined }

/** The queue's name in `jobs`. */
const QUEUE = 'schedule.due'
const MEGABYTE = 1_048_576
const SHOWN_TEXT = 200

export function createScheduler({ config, events, jobs, store, ownership = ALL_OWNED }: Deps): Scheduler {
  const queue = createKeyedQueue()

  async function assertSpace(session: string, bytes: number): Promise<void> {
    const used = await store.usage(session)
    const { maxWaiting, maxMegabytes } = config
    if (used.count >= maxWaiting) throw gatewayError('SCHEDULE_FULL', [`at most ${maxWaiting}`])
    if (used.bytes + bytes > maxMegabytes * MEGABYTE)
      throw gatewayError('SCHEDULE_FULL', [`at most ${maxMegabytes} MB together`])
  }

  const report: Scheduler['report'] = async (type, scheduled, writes, { traceparent, ...failure } = {}) => {
    const { session, id, created, chat, path, sendAt } = scheduled
    const time = new Date(sendAt).toISOString()
    const data = { type, id, created, chat, path, sendAt: time, ...failure }
    await events.raise(session, 'schedule.changed', data, writes, { traceparent })
  }

  return {
    serially: (session, work) => queue.run(session, work),
    report,
    async schedule(sender, path, request, content, { answer: _, ...extras } = {}) {
      const { session, body, traceparent } = request
      // The serving process runs due messages and logs that one was scheduled; `details` names the session for forwarding.
      if (!ownership.owns(session.id)) throw gatewayError('NOT_OWNED', [], { details: session.id })
      const { chat, id = newId(), fingerprint = '' } = await sender.prepare(path, request, extras)
      return queue.run(session.id, async () => {
        const known = await store.find(session.id, id)
        if (known && (OPEN.includes(known.state) || known.state === 'sent')) {
          if (known.fingerprint !== fingerprint) throw gatewayError('ID_REUSED', [id])
          return { scheduled: known, isReplay: true }
        }
        const sendAt = sendTimeOf(body.SendAt ?? '', body.TimeZone, Date.now(), config.maxDays)
        if (fingerprint && (await session.socket.outcome(id, systemViewer(session.id))))
          throw gatewayError('ID_REUSED', [id])
        const made = await content()
        const { ContextInfo, QuotedText } = body
        const bytes = toBytes({
          body: { ...(ContextInfo ? { ContextInfo } : {}), ...(QuotedText ? { QuotedText } : {}) },
          content: made,
          extras: { ...extras, chat },
        })
        await assertSpace(session.id, bytes.length)
        const scheduled: Scheduled = {
          session: session.id,
          id,
          fingerprint,
          chat,
          path,
          sendAt,
          created: Date.now(),
          state: 'waiting',
          size: bytes.length,
          text: textOf(made),
          error: '',
        }
        const lane = events.lane(session.id, chat)
        const job = { session: session.id, runAt: sendAt, lane, data: { id, created: scheduled.created } }
        // The same id may be scheduled again after a cancellation.
        const add = jobs.write(QUEUE, { id: `${session.id}/${id}/${scheduled.created}`, ...job })
        await report('MessageScheduled', scheduled, [store.add(scheduled, bytes), add], { traceparent })
        return { scheduled, isReplay: false }
      })
    },
    cancel: (session, id) =>
      queue.run(session, async () => {
        const scheduled = await store.find(session, id)
        if (!scheduled) throw gatewayError('SCHEDULE_UNKNOWN')
        if (scheduled.state === 'cancelled') return scheduled
        if (scheduled.state !== 'waiting') throw gatewayError('SCHEDULE_ENDED', [scheduled.state])
        await report('ScheduleCancelled', scheduled, [store.change(scheduled, 'cancelled')])
        return { ...scheduled, state: 'cancelled' }
      }),
  }
}

/** In the format of phones' own ids. */
function newId(): string {
  return `3EB0${randomBytes(9).toString('hex').toUpperCase()}`
}

function textOf(content: object): string {
  const { text, caption } = content as { text?: unknown; caption?: unknown }
  return [text, caption].map((one) => (typeof one === 'string' ? one.slice(0, SHOWN_TEXT) : '')).join('')
}
