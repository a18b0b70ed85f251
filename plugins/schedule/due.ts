import {
  failpoint,
  type GatewayContributions,
  type GatewayError,
  type GatewayServices,
  gatewayError,
  isGatewayError,
  isStorageError,
  type Kernel,
  type LiveSession,
  type Session,
  systemViewer,
  type Write,
} from 'wamux/plugin'
import type { ScheduleConfig } from './config.ts'
import type { Scheduler } from './scheduler.ts'
import { OPEN, type Scheduled, type Store } from './store.ts'

type Deps = Pick<Kernel<ScheduleConfig>, 'config' | 'db' | 'sessions'> &
  Pick<GatewayServices, 'sender'> & { scheduler: Scheduler; store: Store }

/** A job of the queue `due`. */
type Job = Pick<Parameters<NonNullable<JobQueues[string]>['handle']>[0], 'session' | 'data' | 'attempt'>
type JobQueues = NonNullable<GatewayContributions['jobs']['queues']>
type JobResult = Exclude<Awaited<ReturnType<JobQueues[string]['handle']>>, void>

export const ATTEMPTS = 5
/** A due message looks for its session again after a pause as long as its delay, within these bounds. */
const AGAIN_MS = { least: 1_000, most: 15_000 }
const HOUR_MS = 3_600_000
/** Errors with which nothing was stored, and for which the message is not at fault. */
const NOT_NOW: readonly number[] = [429, 503]

/** Header of this plugin's own requests: the answer comes when the message is stored in the outbox. */
export const ownHeader = (name: string): string => (name === 'Prefer' ? 'respond-async' : '')

/**
 * Sends a due message. The job may run again after a crash: the message has one id, and the outbox stores an id once.
 */
export async function sendDue(job: Job, deps: Deps): Promise<JobResult> {
  const { id, created } = job.data as { id: string; created: number }
  return deps.scheduler.serially(job.session, async () => {
    const scheduled = await deps.store.find(job.session, id)
    const session = await deps.sessions.byId(job.session)
    if (!session || scheduled?.created !== created || !OPEN.includes(scheduled.state)) return []
    return send(job, scheduled, session, deps)
  })
}

async function send(job: Job, scheduled: Scheduled, session: Session, deps: Deps): Promise<JobResult> {
  const { config, db, scheduler, sender, store } = deps
  const { id, path, sendAt } = scheduled
  const fail = async ({ code, message }: GatewayError): Promise<readonly Write[]> => {
    const failed = store.change(scheduled, 'failed', message)
    await scheduler.report('ScheduleFailed', scheduled, [failed], { code, error: message })
    return []
  }
  const isLate = Date.now() > sendAt + config.lateHours * HOUR_MS
  // Later messages of its chat wait too.
  const later = (): JobResult => ({ until: nextLook(sendAt), writes: [store.change(scheduled, 'waiting')] })
  if (isUnlinked(session)) return fail(gatewayError('NOT_LOGGED_IN'))
  if (isLate) return fail(gatewayError('SCHEDULE_LATE', [config.lateHours]))
  if (!isLive(session)) return later()
  // A killed process may have left it in the outbox.
  const isStored =
    scheduled.state === 'sending' &&
    (await session.socket.outcome(id, systemViewer(session.id))) !== undefined
  if (!isStored) {
    const { body, content, extras } = await store.requestOf(job.session, id)
    if (scheduled.state === 'waiting') await db.write([store.change(scheduled, 'sending')])
    failpoint('schedule:due')
    try {
      // Its author was allowed to write to this chat.
      const viewer = systemViewer(session.id)
      const request = { session, viewer, body: { ...body, Id: id }, header: ownHeader }
      await sender.send(path, request, () => content, extras)
    } catch (error) {
      if (isStorageError(error) || !isGatewayError(error)) throw error
      if (NOT_NOW.includes(error.status) || error.code === 'NOT_LOGGED_IN') return later()
      // For example a file that could not be uploaded now.
      if (error.status >= 500 && job.attempt < ATTEMPTS) throw error
      return fail(error)
    }
  }
  failpoint('schedule:stored')
  await scheduler.report('ScheduleSent', scheduled, [store.change(scheduled, 'sent')])
  return []
}

function nextLook(sendAt: number): number {
  const late = Date.now() - sendAt
  return Date.now() + Math.min(Math.max(late, AGAIN_MS.least), AGAIN_MS.most)
}

function isLive(session: Session): session is LiveSession {
  return session.state === 'open' && session.socket !== undefined
}

function isUnlinked({ state, jid }: Session): boolean {
  return jid === '' || state === 'logged-out' || state === 'banned'
}
