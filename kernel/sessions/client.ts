import type { Backoff } from '../async/backoff.ts'
import { startTimer, type Timer } from '../async/clock.ts'
import { createSerialQueue } from '../async/serial-queue.ts'
import { gatewayError, isFenced, isStorageError, reasonOf } from '../errors.ts'
import type { Driver, LinkEvent, Log, Socket } from '../types/driver.ts'
import type { Events } from '../types/events.ts'
import type { SessionState, StateChange } from '../types/session.ts'
import { retryDelay } from './backoff.ts'
import type { Serving } from './owned.ts'
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

/** A session in memory: one link at a time, reopened after a failure that time can fix (transitions.ts). */
export interface Client {
  readonly state: SessionState
  readonly details: StatusDetails
  readonly socket: Socket | undefined
  readonly lastStanzaAt: number
  /** Opens a link unless one is open or about to be; call it after `idle`. */
  start(): void
  /** Resolves when the work left by the last link is done, for example the deletion of its keys. */
  idle(): Promise<void>
  /** Asks for a pairing code on an unlinked, connected link. */
  pairingCode(phone: string): Promise<string>
  /** Resolves true when `condition` holds, false after `ms`. */
  waitFor(condition: (client: Client) => boolean, ms: number): Promise<boolean>
  /** Unlinks on the network, then deletes the link's keys. */
  logout(): Promise<void>
  /**
   * Ends the link without unlinking the device. Idempotent. If the link has already ended for good, the client keeps its
   * state.
   *
   * @param reason in words; when absent, the reason of the state is kept.
   */
  stop(reason?: string): Promise<void>
  /** The same on request: the session is then offline, however its link ended. */
  disconnect(): Promise<void>
}

export interface ClientParts {
  driver: Driver
  serving: Pick<Serving, 'claim' | 'holds'>
  store: SessionStore
  raise: Events['raise']
  onChange(change: StateChange): void
  log: Log
  reconnect: Backoff
}

/** One attempt; it has no socket while opening or ending. */
interface Link {
  readonly cut: AbortController
  /** Milliseconds since 1970, like `lastStanzaAt` of its socket. */
  readonly began: number
  socket?: Socket | undefined
  /** On the monotonic clock. */
  openedAt?: number
}

export function createClient(id: string, parts: ClientParts): Client {
  const { driver, store, log, raise } = parts
  const status = createStatus()
  const { ended } = store.byId(id) ?? {}
  if (ended) status.change(ended.state, ended)
  /** Row updates and signals caused by link events, in order. */
  const queue = createSerialQueue()
  /** Events of any other attempt are stale. */
  let link: Link | undefined
  /** Attempts that failed since a link last served (`hasServed`). */
  let failures = 0
  let lastStanzaAt = 0
  let timer: Timer | undefined

  /** Changes the state; undefined if the current state ignores the event. */
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
      // Another process has the session, and stores and signals its changes.
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
      await parts.serving.claim(id)
      const isHeld = (): boolean => parts.serving.holds(id)
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
   * link was cut before it opened: growing pauses would then keep the session away for minutes while its queue grows.
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
    // The network's text for a requested end would read like a failure.
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
    else if (retryIn !== undefined) timer = startTimer(retryIn, retry)
    return done
  }

  async function unlink(ended: Ended | undefined): Promise<void> {
    await driver.forget(id, 'unlinked')
    await store.setEnded(id, ended, { jid: '', lid: '', network: '', autoConnect: false })
  }

  function retry(): void {
    // Until the link opens, requests are refused for the database that closed it.
    const { failure } = status.details
    if (step('retry', { failure })?.effect === 'open-link') void open()
  }

  async function end(event: 'stop' | 'disconnect', details: Partial<StatusDetails>): Promise<void> {
    if (step(event, details)?.effect === 'end-link') {
      timer?.stop()
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
