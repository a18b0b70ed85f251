import type { CloseReason, Driver, LinkEvent, LinkOptions, PluginDb, Row } from 'wamux/plugin'
import { loadProps } from './app-state/stored-props.ts'
import type { Construction } from './construction.ts'
import { createSentChatCache } from './journal/sent-chats.ts'
import { openLink } from './link.ts'
import type { DriverParts, LinkParts } from './parts.ts'
import { owningTimers } from './patches/timers.ts'
import { closeReason } from './protocol/close-reason.ts'
import { createRemoteSocket } from './send/remote.ts'
import { createRecordCache } from './signal/live-records.ts'
import { createBackpressure } from './socket/backpressure.ts'
import { createResendLimit } from './socket/retries/resend-limit.ts'
import { createCodec } from './store/codec.ts'
import { loadCreds, newCreds, saveCreds } from './store/credentials.ts'
import { createOutgoing } from './store/outgoing.ts'
import { UNSENT } from './store/predicates.ts'

type Closed = Extract<LinkEvent, { type: 'closed' }>

/** The kernel's port to the network, implemented with Baileys. */
export function createDriver(driver: DriverParts, construction: Construction): Driver {
  const { db } = driver
  const parts: Omit<LinkParts, 'network' | 'version' | 'props' | 'attempts' | 'resendLimit'> = {
    ...driver,
    construction,
    backpressure: createBackpressure(),
    records: createRecordCache(),
    sentChats: createSentChatCache(),
  }
  const pauses = createPauses(db)
  /** Per session since the process started: its logins, and its resend limit. */
  const kept = new Map<string, Pick<LinkParts, 'attempts' | 'resendLimit'>>()
  return {
    get network() {
      return parts.networkName()
    },
    async open(options) {
      const { id } = options.session
      const { webVersions } = parts
      const pause = await pauses.of(id)
      if (pause) {
        void options.onEvent({ type: 'closed', ...pause })
        throw new Error(pause.detail)
      }
      // First, because it may take a while: everything read below must be current afterwards.
      const version = await webVersions.forLink(id, options.signal)
      const codec = createCodec(parts.vault, id)
      const creds = await loadCreds(db, codec, id)
      const props = await loadProps(db, id)
      const network = await parts.networks.of(id)
      options.signal.throwIfAborted()
      const outdated = async (event: Closed): Promise<Closed> => {
        try {
          const link = { version, detail: event.detail, isLinked: creds.me !== undefined }
          const { isLast, detail } = await webVersions.refused(id, link)
          return { ...event, detail, isRetried: !isLast }
        } catch (failure) {
          return { type: 'closed', ...closeReason(undefined, failure) }
        }
      }
      // All guard timers that Baileys leaves behind are started before a link is open.
      const onEvent: LinkOptions['onEvent'] = async (event) => {
        if (event.type === 'open') {
          timers.untrack()
          void webVersions.opened(id)
        }
        if (event.type !== 'closed') return options.onEvent(event)
        webVersions.closed(id)
        // The kernel does not call `end` on a link that closed unrequested.
        timers.release()
        if (event.until) await pauses.add(id, pauseOf(event, event.until)).catch(() => undefined)
        if (event.reason !== 'outdated') return options.onEvent(event)
        return options.onEvent(await outdated(event))
      }
      const ofSession = kept.get(id) ?? { attempts: { count: 0 }, resendLimit: createResendLimit() }
      kept.set(id, ofSession)
      const timers = owningTimers(() =>
        openLink({ ...parts, network, version, props, ...ofSession }, codec, creds, { ...options, onEvent }),
      )
      const { end } = timers.made
      return Object.assign(timers.made, { end: () => end().finally(timers.release) })
    },
    remote({ id: session, jid }, notOwned) {
      const { config, peers, vault } = parts
      const outgoing = createOutgoing(db, createCodec(vault, session), session)
      return createRemoteSocket({ session, jid, outgoing, peers, queue: config.queue, notOwned })
    },
    async unfinished() {
      const rows = await db.read<Row>(db.table('outgoing')).whereRaw(UNSENT).distinct('session')
      return rows.map((row) => String(row['session']))
    },
    async forget(session, why) {
      kept.delete(session)
      await parts.networks.forget(session)
      const codec = createCodec(parts.vault, session)
      const { wasLinked } = await loadCreds(db, codec, session)
      const tables = [
        'keys',
        'creds',
        'inbox',
        'outgoing',
        'refusals',
        'timers',
        'settings',
        'props',
        'pauses',
      ].map(db.table)
      // The credentials stay to the end: if it is cut off, the session ends again, and the rest is deleted then.
      for (const name of ['keys', 'inbox', 'outgoing'])
        await db.prune(name, (query) => query.where({ session }), { session })
      await db.transact(
        async (trx) => {
          for (const table of tables) await trx(table).where({ session }).del()
        },
        { session },
      )
      if (why === 'unlinked' && wasLinked) await saveCreds(db, codec, session, { ...newCreds(), wasLinked })
    },
  }
}

function pauseOf({ reason, detail, code = '' }: Closed, until: number): Pause {
  return { reason, detail, code, until }
}

/** A period in which a session must not log in. */
interface Pause {
  readonly reason: CloseReason
  readonly detail: string
  readonly code: string
  /** Its end, milliseconds since 1970. */
  readonly until: number
}

/** The pauses that WhatsApp has imposed on sessions; they survive restarts. */
interface Pauses {
  /** The current pause of the session. */
  of(session: string): Promise<Pause | undefined>
  add(session: string, pause: Pause): Promise<void>
}

function createPauses(db: PluginDb): Pauses {
  return {
    async of(session) {
      const row = await db.read<Row>(db.table('pauses')).where({ session }).first()
      const until = Number(row?.['until'] ?? 0)
      if (!row || until <= Date.now()) return undefined
      const reason = String(row['reason']) as CloseReason
      return { reason, detail: String(row['detail']), code: String(row['code']), until }
    },
    add: (session, pause) => db.write([db.put('pauses', ['session'], [{ session, ...pause }])]),
  }
}
