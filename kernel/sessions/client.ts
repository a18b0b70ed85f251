import type { Backoff } from '../async/backoff.ts'
import { createSerialQueue } from '../async/serial-queue.ts'
import { gatewayError, isFenced, isStorageError, reasonOf } from '../errors.ts'
import type { Driver, LinkEvent, Log, Socket } from '../types/driver.ts'
import type { Events } from '../types/events.ts'
import type { SessionState, StateChange } from '../types/session.ts'
import { retryDelay } from './backoff.ts'
import type { Ended } from './session-row.ts'
import { createStatus, detailsOf, type StatusDetails } from './status.ts'
import type { SessionStore } from './store.ts'
import {
  type ClientEvent,
  closedEvent,
  closeReason,
  isEnded,
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
  /** Number of the open link, or else of the last one; 0 before the first. */
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
   * Ends the link, which stays linked on the network. Idempotent. A link that has ended for good leaves the client in the
   * state that it was in.
   *
   * @param reason in words; absent keeps the one of the state it was in.
   */
  stop(reason?: string): Promise<void>
  /** The same on request: the session is offline then, however its link has ended. */
  disconnect(): Promise<void>
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
  reconnect: Backoff
}

/** One attempt; it has no socket while it is being opened, nor when it is being ended. */
interface Link {
  readonly cut: AbortController
  /** Milliseconds since 1970, as `lastStanzaAt` of its socket. */
  readonly began: number
  socket?: Socket | undefined
  /** By the monotonic clock. */
  openedAt?: number
}

/** The longest timer of Node: a driver that must wait longer closes the next link at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

export function createClient(id: string, parts: ClientParts): Client {
  const { driver, store, log, raise } = parts
  const status = createStatus()
  const { ended } = store.byId(id) ?? {}
  if (ended) status.change(ended.state, ended)
  /** Row updates and signals that link events cause, in order. */
  const queue = createSerialQueue()
  /** Events of any other attempt are stale. */
  let link: Link | undefined
  /** Attempts that ended since a link served (`hasServed`). */
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
    if (to !== from || event === 'retried:outdated')
      parts.onChange({ session: id, at: Date.now(), from, to, cause, reason })
    return row
  }

  async function enqueue(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await queue.run(work)
    } catch (error) {
      // Another process has the session: it stores and signals what happens to it.
      const level = isFenced(error) ? 'info' : 'error'
      log[level]({ session: id, reason: reasonOf(error) }, `${what} failed`)
    }
  }

  async function open(): Promise<void> {
    const row = store.byId(id)
    if (!row) return
    const own: Link = { cut: new AbortController(), began: Date.now() }
    link = own
    const onEvent = async (event: LinkEvent): Promise<void> => {
      if (link === own) await receive(event)
    }
    try {
      await parts.own(id)
      const isHeld = (): boolean => parts.holds(id)
      const { signal } = own.cut
      const socket = await driver.open({ session: { id, os: row.os }, log, isHeld, signal, onEvent })
      // The link may have ended, or the client may have been stopped, while it was opening.
      if (link !== own || status.state === 'stopped') {
        await socket.end()
        return
      }
      own.socket = socket
      status.touch()
    } catch (error) {
      if (own.cut.signal.aborted) return
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
      await store.clearEnded(id, { jid, lid, network: driver.network })
      if (event.type === 'open') await raise(id, 'session.opened', { jid, lid, name: event.name })
      else {
        const { platform, businessName } = event
        await raise(id, 'session.paired', { jid, lid, platform, businessName })
      }
    }
  }

  /**
   * A network that closes a link as soon as it is open has not recovered. One that has answered for a while has, even if the
   * link was cut before it was open: waits that grow then would leave the session away for minutes, and its queue growing.
   */
  function hasServed({ began, openedAt, socket }: Link): boolean {
    const openFor = openedAt === undefined ? 0 : performance.now() - openedAt
    const answeredFor = socket ? socket.lastStanzaAt - began : 0
    return Math.max(openFor, answeredFor) > parts.reconnect.first
  }

  function closed(event: Extract<LinkEvent, { type: 'closed' }>): Promise<void> {
    const { failure, isRetried, code = '', until = 0 } = event
    lastStanzaAt = link?.socket?.lastStanzaAt ?? lastStanzaAt
    if (link && hasServed(link)) failures = 0
    link = undefined
    const reason = closeReason(status.state, event.reason)
    // The network's words for an end that was asked for would read like a failure.
    const isOwn = isEnding(status.state)
    const detail = isOwn ? status.details.reason : event.detail
    const isOnRequest = isOwn && reason === 'logged-out'
    const details = { cause: reason, reason: detail, isOnRequest, failure, code, until }
    const effect = step(closedEvent(reason, isRetried), details)?.effect
    const { state } = client
    const ended = isEnded(state) ? { state, reason: detail, cause: reason, isOnRequest } : undefined
    const isReopened = effect === 'open-link'
    const delay = isReopened ? 0 : retryDelay(effect, failures, Math.random, parts.reconnect)
    const retryIn = delay === undefined ? undefined : Math.max(delay, until - Date.now())
    failures += 1
    log.info({ session: id, reason, detail, retryIn }, 'session closed')
    const done = enqueue('closing', async () => {
      if (effect === 'unlink') await unlink(ended)
      else if (ended) await store.setEnded(id, ended)
      await raise(id, 'session.closed', { reason, detail, ...(retryIn === undefined ? {} : { retryIn }) })
    })
    if (isReopened) void open()
    else if (retryIn !== undefined) timer = setTimeout(retry, Math.min(retryIn, MAX_TIMER_MS))
    return done
  }

  async function unlink(ended: Ended | undefined): Promise<void> {
    await driver.forget(id, 'unlinked')
    await store.setEnded(id, ended, { jid: '', lid: '', network: '', autoConnect: false })
  }

  function retry(): void {
    if (step('retry')?.effect === 'open-link') void open()
  }

  async function end(event: 'stop' | 'disconnect', details: Partial<StatusDetails>): Promise<void> {
    if (step(event, details)?.effect === 'end-link') {
      clearTimeout(timer)
      link?.cut.abort()
      const socket = link?.socket
      if (link) link.socket = undefined
      await socket?.end()
    }
    await queue.idle()
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
    stop: (reason = status.details.reason || 'stopped with the gateway') =>
      end('stop', isEnded(client.state) ? status.details : { reason }),
    disconnect: () => end('disconnect', { reason: 'disconnected on request' }),
  }
  return client
}
