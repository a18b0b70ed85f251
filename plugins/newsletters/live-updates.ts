import {
  isGatewayError,
  type Kernel,
  type LiveSession,
  type Row,
  reasonOf,
  startTimer,
  type Timer,
} from 'wamux/plugin'
import { subscribeToUpdates } from './requests.ts'

/** Subscriptions to live updates. The network ends them after some minutes and with the link; they are renewed here. */
export interface LiveUpdates {
  /** Subscribes, and renews until `stop`. Returns the seconds that the network granted. */
  start(session: LiveSession, jid: string): Promise<number>
  /** Renews all subscriptions of a session on its new link. */
  resume(session: string): Promise<void>
  stop(session: string, jid: string): Promise<void>
  close(): void
}

const KEY = ['session', 'newsletter'] as const

type Parts = Pick<Kernel<unknown>, 'db' | 'sessions' | 'log' | 'background'>

export function createLiveUpdates({ db, sessions, log, background }: Parts): LiveUpdates {
  const timers = new Map<string, Timer>()

  async function subscribe(session: LiveSession, jid: string): Promise<number> {
    const seconds = await subscribeToUpdates(session, jid)
    const key = `${session.id} ${jid}`
    timers.get(key)?.stop()
    if (seconds > 0) {
      const again = (): void => background(renew(session.id, jid), 'renewing live updates')
      timers.set(key, startTimer(seconds * 500, again, { isRepeated: true, isUnref: true }))
    }
    return seconds
  }

  async function renew(id: string, jid: string): Promise<void> {
    const session = await sessions.byId(id)
    // Nothing is renewed without a link; `resume` renews on the next one.
    if (!session?.socket || !session.loggedIn) return
    try {
      await subscribe(session as LiveSession, jid)
    } catch (error) {
      log.warn({ session: id, newsletter: jid, reason: reasonOf(error) }, 'renewing live updates failed')
      if (isGatewayError(error) && error.code === 'ITEM_UNKNOWN') await stop(id, jid)
    }
  }

  async function stop(session: string, newsletter: string): Promise<void> {
    timers.get(`${session} ${newsletter}`)?.stop()
    await db.write([db.remove('live', KEY, [{ session, newsletter }])])
  }

  return {
    async start(session, jid) {
      const seconds = await subscribe(session, jid)
      await db.write([db.add('live', KEY, [{ session: session.id, newsletter: jid }])])
      return seconds
    },
    async resume(session) {
      const rows = await db.read<Row>(db.table('live')).where({ session }).orderBy('newsletter')
      for (const row of rows) await renew(session, String(row['newsletter']))
    },
    stop,
    close() {
      for (const timer of timers.values()) timer.stop()
    },
  }
}
