import { isStorageError } from '../db/storage-error.ts'
import { type GatewayError, gatewayError, reasonOf } from '../errors.ts'
import type { CloseReason, Driver, LinkEvent, Log, Socket } from '../types/driver.ts'
import type { Events, GatewaySignals } from '../types/events.ts'
import type { SessionState } from '../types/session.ts'
import { judge, type Pace } from './backoff.ts'
import { createStatus } from './status.ts'
import type { SessionStore } from './store.ts'

/** A session's presence in memory: one link at a time, opened again when the last one ended for a mendable cause. */
export interface Client {
  readonly state: SessionState
  /** Why it is in this state; '' when there is nothing to say. */
  readonly reason: string
  /** Of the storage, where that keeps the link down. */
  readonly failure: GatewayError | undefined
  readonly socket: Socket | undefined
  /** The QR text on show, undefined when none is. */
  readonly qr: string | undefined
  /** Opens a link unless one is open or under way; `idle` comes first. */
  start(): void
  /** Resolves when what the last link left to do, such as forgetting its keys, is done. */
  idle(): Promise<void>
  /** Asks for a pairing code on an unlinked, connected link. */
  pairingCode(phone: string): Promise<string>
  /** Resolves when `settled` holds for the state, at the latest after `ms`; true if it held. */
  until(settled: (client: Client) => boolean, ms: number): Promise<boolean>
  /** Unlinks on the network, then forgets the link's keys. */
  logout(): Promise<void>
  /** Ends the link, which stays linked on the network. Idempotent. */
  stop(): Promise<void>
}

export interface ClientParts {
  driver: Driver
  store: SessionStore
  raise: Events['raise']
  log: Log
  pace: Pace
  random: () => number
}

export function createClient(id: string, parts: ClientParts): Client {
  const { driver, store, log } = parts
  const status = createStatus()
  let socket: Socket | undefined
  /** Links tried so far; events of an earlier one than the last are stale. */
  let attempts = 0
  /** Tries since the link was last open. */
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let ended = false
  /** Set while a logout is under way: however the link ends then, it is over. */
  let leaving = false
  /** Work begun by link events, in order: row updates and signals. */
  let chain: Promise<unknown> = Promise.resolve()

  function signal<K extends keyof GatewaySignals>(name: K, data: GatewaySignals[K]): Promise<unknown> {
    return parts.raise(id, name, data)
  }

  function inOrder(what: string, work: () => Promise<unknown>): void {
    chain = chain.then(work).catch((error: unknown) => {
      log.error({ session: id, reason: reasonOf(error) }, `${what} failed`)
    })
  }

  async function open(): Promise<void> {
    status.change('connecting')
    const row = store.byId(id)
    if (!row || ended) return
    attempts += 1
    const mine = attempts
    const isCurrent = (): boolean => mine === attempts && !ended
    const onEvent = (event: LinkEvent): void => {
      if (mine === attempts) take(event)
    }
    try {
      const opened = await driver.open({ session: { id, os: row.os }, log, onEvent })
      // The link may have ended, or the client may have been stopped, while it was opening.
      if (!isCurrent()) {
        await opened.end()
        return
      }
      socket = opened
      status.touch()
    } catch (error) {
      const detail = reasonOf(error)
      onEvent(
        isStorageError(error)
          ? { type: 'closed', reason: 'storage', detail, failure: error }
          : { type: 'closed', reason: 'unavailable', detail },
      )
    }
  }

  function take(event: LinkEvent): void {
    if (event.type === 'closed') closed(event)
    else if (ended) return
    else if (event.type === 'qr') showQr(event)
    else if (event.type === 'passkey') {
      status.change('passkey', `PASSKEY_REQUIRED: ${event.detail}`)
      inOrder('passkey', () => signal('session.passkey', { detail: event.detail }))
    } else linked(event)
  }

  function showQr({ code, expires }: Extract<LinkEvent, { type: 'qr' }>): void {
    status.show(code)
    inOrder('qr', () => signal('session.qr', { code, expires }))
  }

  function linked(event: Extract<LinkEvent, { type: 'paired' | 'open' }>): void {
    const { jid, lid } = event
    if (event.type === 'open') failures = 0
    status.change(event.type === 'open' ? 'open' : 'connecting')
    inOrder('linking', async () => {
      await store.update(id, { jid, lid, network: driver.network })
      if (event.type === 'open') return signal('session.opened', { jid, lid, name: event.name })
      const { platform, businessName } = event
      return signal('session.paired', { jid, lid, platform, businessName })
    })
  }

  function closed(event: Extract<LinkEvent, { type: 'closed' }>): void {
    socket = undefined
    attempts += 1
    const why: CloseReason = leaving ? 'logged-out' : ended ? 'stopped' : event.reason
    const verdict = judge(why, failures, parts.random, parts.pace)
    failures += 1
    leaving = false
    log.info({ session: id, reason: why, detail: event.detail, retryIn: verdict.retryIn }, 'link closed')
    status.change(verdict.state, event.detail, event.failure)
    inOrder('closing', async () => {
      if (verdict.unlinked) await unlink()
      await signal('session.closed', {
        reason: why,
        detail: event.detail,
        ...(verdict.retryIn === undefined ? {} : { retryIn: verdict.retryIn }),
      })
    })
    if (verdict.retryIn === undefined) return
    timer = setTimeout(() => {
      timer = undefined
      void open()
    }, verdict.retryIn)
  }

  async function unlink(): Promise<void> {
    await driver.forget(id)
    await store.update(id, { jid: '', lid: '', network: '', wanted: false })
  }

  const client: Client = {
    get state() {
      return status.state
    },
    get reason() {
      return status.reason
    },
    get failure() {
      return status.failure
    },
    get socket() {
      return socket
    },
    get qr() {
      return status.qr
    },
    start() {
      if (ended || timer || status.isUp) return
      failures = 0
      void open()
    },
    async idle() {
      await chain
    },
    async pairingCode(phone) {
      if (!socket) throw gatewayError('NO_CLIENT')
      const code = await socket.requestPairingCode(phone)
      if (status.state === 'scan') status.change('code')
      return code
    },
    until: (settled, ms) => status.until(() => settled(client), ms),
    async logout() {
      const last = socket
      if (!last) throw gatewayError('NOT_LOGGED_IN')
      leaving = true
      try {
        await last.logout()
      } catch (error) {
        leaving = false
        throw error
      }
      await last.end()
      await chain
    },
    async stop() {
      ended = true
      clearTimeout(timer)
      timer = undefined
      const last = socket
      socket = undefined
      await last?.end()
      status.change('offline')
      await chain
    },
  }
  return client
}
