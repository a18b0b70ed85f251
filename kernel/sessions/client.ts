import { createSerialQueue } from '../async/serial-queue.ts'
import { gatewayError, isGatewayError, isStorageError, reasonOf } from '../errors.ts'
import type { Driver, LinkEvent, Log, Socket } from '../types/driver.ts'
import type { Events } from '../types/events.ts'
import type { SessionState, StateChange } from '../types/session.ts'
import { type Pace, retryDelay } from './backoff.ts'
import { createStatus, type StatusDetails } from './status.ts'
import type { SessionStore } from './store.ts'
import {
  type ClientEvent,
  closeReason,
  isEnding,
  shownState,
  type Transition,
  transition,
} from './transitions.ts'

/** A session in memory: one link at a time, opened again after a failure that time can fix (transitions.ts). */
export interface Client {
  readonly state: SessionState
  readonly details: StatusDetails
  readonly socket: Socket | undefined
  /** Of the link that is open, or else of the last one; 0 before the first. */
  readonly lastStanzaAt: number
  /** Opens a link unless one is open or will be; call it after `idle`. */
  start(): void
  /** Resolves when the work that the last link left, such as deleting its keys, is done. */
  idle(): Promise<void>
  /** Asks for a pairing code on an unlinked, connected link. */
  pairingCode(phone: string): Promise<string>
  /** Resolves when `condition` holds, at the latest after `ms`; true if it held. */
  waitFor(condition: (client: Client) => boolean, ms: number): Promise<boolean>
  /** Unlinks on the network, then deletes the link's keys. */
  logout(): Promise<void>
  /**
   * Ends the link, which stays linked on the network. Idempotent.
   *
   * @param reason in words; absent keeps the one of the state it was in.
   */
  stop(reason?: string): Promise<void>
}

export interface ClientParts {
  driver: Driver
  /** Rejects unless this process may open a link. */
  own(id: string): Promise<void>
  /** Whether it still may send for it. */
  holds(id: string): boolean
  store: SessionStore
  raise: Events['raise']
  onChange(change: StateChange): void
  log: Log
  pace: Pace
}

/** One attempt; it has no socket while it is being opened, nor when it is being ended. */
interface Link {
  socket?: Socket | undefined
  /** By the monotonic clock. */
  openedAt?: number
}

export function createClient(id: string, parts: ClientParts): Client {
  const { driver, store, log, raise } = parts
  const status = createStatus()
  /** Row updates and signals that link events cause, in order. */
  const queue = createSerialQueue()
  /** Events of any other attempt are stale. */
  let link: Link | undefined
  /** Attempts that ended since a link was open for longer than the first wait. */
  let failures = 0
  let lastStanzaAt = 0
  let timer: NodeJS.Timeout | undefined

  /** Changes the state; undefined when the event is to be ignored in this one. */
  function step(event: ClientEvent, details?: Partial<StatusDetails>): Transition | undefined {
    const from = shownState(status.state)
    const row = transition(status.state, event)
    if (!row) return undefined
    status.change(row.to, details)
    const to = shownState(row.to)
    const { cause, reason } = status.details
    if (to !== from) parts.onChange({ session: id, at: Date.now(), from, to, cause, reason })
    return row
  }

  async function enqueue(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await queue.run(work)
    } catch (error) {
      // Another process has the session: it stores and signals what happens to it.
      const level = isGatewayError(error) && error.code === 'FENCED' ? 'info' : 'error'
      log[level]({ session: id, reason: reasonOf(error) }, `${what} failed`)
    }
  }

  async function open(): Promise<void> {
    const row = store.byId(id)
    if (!row) return
    const own: Link = {}
    link = own
    const onEvent = async (event: LinkEvent): Promise<void> => {
      if (link === own) await receive(event)
    }
    try {
      await parts.own(id)
      const isHeld = (): boolean => parts.holds(id)
      const socket = await driver.open({ session: { id, os: row.os }, log, isHeld, onEvent })
      // The link may have ended, or the client may have been stopped, while it was opening.
      if (link !== own || status.state === 'stopped') {
        await socket.end()
        return
      }
      own.socket = socket
      status.touch()
    } catch (error) {
      const detail = reasonOf(error)
      await onEvent(
        isStorageError(error)
          ? { type: 'closed', reason: 'storage', detail, failure: error }
          : { type: 'closed', reason: 'unavailable', detail },
      )
    }
  }

  async function receive(event: LinkEvent): Promise<void> {
    if (event.type === 'closed') return closed(event)
    if (step(event.type, detailsOf(event))?.effect !== 'announce') return undefined
    if (event.type === 'paired') log.info({ session: id }, 'session linked')
    if (event.type === 'open') {
      if (link) link.openedAt = performance.now()
      log.info({ session: id }, 'session connected')
    }
    return enqueue(event.type, () => announce(event))
  }

  async function announce(event: Exclude<LinkEvent, { type: 'closed' }>): Promise<void> {
    if (event.type === 'qr') await raise(id, 'session.qr', { code: event.code, expires: event.expires })
    else if (event.type === 'code-ended') return
    else if ('detail' in event) await raise(id, 'session.passkey', { step: event.type, detail: event.detail })
    else {
      const { jid, lid } = event
      await store.update(id, { jid, lid, network: driver.network })
      if (event.type === 'open') await raise(id, 'session.opened', { jid, lid, name: event.name })
      else {
        const { platform, businessName } = event
        await raise(id, 'session.paired', { jid, lid, platform, businessName })
      }
    }
  }

  function closed({ failure, ...event }: Extract<LinkEvent, { type: 'closed' }>): Promise<void> {
    lastStanzaAt = link?.socket?.lastStanzaAt ?? lastStanzaAt
    // A network that closes a link as soon as it is open has not recovered.
    if (link?.openedAt && performance.now() - link.openedAt > parts.pace.first) failures = 0
    link = undefined
    const reason = closeReason(status.state, event.reason)
    // The network's words for an end that was asked for would read like a failure.
    const detail = isEnding(status.state) ? status.details.reason : event.detail
    const effect = step(`closed:${reason}`, { cause: reason, reason: detail, failure })?.effect
    const retryIn = retryDelay(effect, failures, Math.random, parts.pace)
    failures += 1
    log.info({ session: id, reason, detail, retryIn }, 'session closed')
    const done = enqueue('closing', async () => {
      if (effect === 'unlink') await unlink()
      await raise(id, 'session.closed', { reason, detail, ...(retryIn === undefined ? {} : { retryIn }) })
    })
    if (retryIn !== undefined) timer = setTimeout(retry, retryIn)
    return done
  }

  async function unlink(): Promise<void> {
    await driver.forget(id, 'unlinked')
    await store.update(id, { jid: '', lid: '', network: '', autoConnect: false })
  }

  function retry(): void {
    if (step('retry')?.effect === 'open-link') void open()
  }

  const client: Client = {
    get state() {
      return shownState(status.state)
    },
    get details() {
      return status.details
    },
    get socket() {
      return link?.socket
    },
    get lastStanzaAt() {
      return link?.socket?.lastStanzaAt ?? lastStanzaAt
    },
    start() {
      if (step('start')?.effect !== 'open-link') return
      failures = 0
      void open()
    },
    idle: queue.idle,
    async pairingCode(phone) {
      const socket = link?.socket
      if (!socket) throw gatewayError('NO_CLIENT')
      const code = await socket.requestPairingCode(phone)
      step('pairing-code')
      return code
    },
    waitFor: (condition, ms) => status.waitFor(() => condition(client), ms),
    async logout() {
      const socket = link?.socket
      if (!socket || !step('logout', { reason: 'logged out on request' })) throw gatewayError('NOT_LOGGED_IN')
      try {
        await socket.logout()
      } catch (error) {
        step('logout-failed')
        throw error
      }
      await socket.end()
      await queue.idle()
    },
    async stop(reason = status.details.reason || 'stopped with the gateway') {
      if (step('stop', { reason })?.effect === 'end-link') {
        clearTimeout(timer)
        const socket = link?.socket
        if (link) link.socket = undefined
        await socket?.end()
      }
      await queue.idle()
    },
  }
  return client
}

/** Why it is in this state, in words; the QR text to show. */
function detailsOf(event: Exclude<LinkEvent, { type: 'closed' }>): Partial<StatusDetails> {
  if (event.type === 'qr') return { qr: event.code }
  return 'detail' in event ? { reason: `${PREFIXES[event.type]}${event.detail}` } : {}
}

const PREFIXES = {
  passkey: 'PASSKEY_REQUIRED: ',
  'passkey-confirm': 'PASSKEY_CONFIRMATION: ',
  'passkey-failed': 'PASSKEY_FAILED: ',
  'code-ended': '',
} as const
