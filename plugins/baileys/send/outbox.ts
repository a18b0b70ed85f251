import type { CacheStore, GroupMetadata, WASocket } from '@whiskeysockets/baileys'
import {
  failpoint,
  type GatewayError,
  type GatewaySignals,
  gatewayError,
  isGatewayError,
  isStorageError,
  type RaiseOptions,
  type Write,
  withTimeout,
} from 'wamux/plugin'
import { isJidGroup } from '../baileys.ts'
import { isBot, reachBot } from '../protocol/bots.ts'
import { type Built, encode } from '../protocol/built.ts'
import { messageId } from '../protocol/message-id.ts'
import { keptRefusal, refusalOf, refusalOfAck } from '../protocol/refusal.ts'
import { sentMessage } from '../protocol/sent-message.ts'
import type { Content, Sending, SendOptions, Sent } from '../sdk.ts'
import type { Outgoing, OutgoingRow } from '../store/outgoing.ts'
import type { Traffic } from '../traffic.ts'
import { createAcks } from './acks.ts'
import { createAdoption, MAX_RESUME_AGE_MS } from './adoption.ts'
import { build, builderOf } from './content.ts'
import { assertFits } from './frame-size.ts'
import type { NewsletterUpload } from './newsletter-upload.ts'
import { assertReachable } from './recipients.ts'
import { createSuspects } from './suspects.ts'
import { createTransmit } from './transmit.ts'

export interface OutboxParts {
  wa: WASocket
  devices: CacheStore
  outgoing: Outgoing
  /** Holds all frames until that write is committed. */
  track<T>(write: Promise<T>): Promise<T>
  /** Logs an accepted message, together with `writes`. */
  logSent(
    sent: GatewaySignals['message.sent'],
    writes: readonly Write[],
    options: RaiseOptions,
  ): Promise<unknown>
  /** Logs that a message was refused, or that its outcome is unknown, together with `writes`. */
  logFailed(
    failed: GatewaySignals['message.failed'],
    writes: readonly Write[],
    options?: RaiseOptions,
  ): Promise<unknown>
  /** The storage failed on a message whose row is stored: the next link sends it. */
  onFailure(error: unknown): void
  /** Waits until it is time to write to a chat. Rejects where it is not. */
  pace(chat: string, signal: AbortSignal): Promise<void>
  /** As rows have it: another process may have written them. */
  now(): number
  ackTimeoutMs: number
  newsletterUpload(): NewsletterUpload
  groupOf(jid: string): Promise<GroupMetadata | undefined>
  /** Messages that may be in flight at once. */
  queue: number
  /** Whether other processes store messages of this session, which go before later ones. */
  isShared: boolean
  /** A message that another process has stored has its outcome. */
  onOutcome(id: string): void
  traffic: Traffic
}

export interface Outbox {
  send(chat: string, content: () => Promise<Content>, options?: SendOptions): Promise<Sending>
  /** Sends again, under their old ids and in their old order, what the last link left unfinished. */
  resume(rows: readonly OutgoingRow[]): void
  /** Sends what other processes have stored; resolves once all of it is under way. */
  pickUp(): Promise<void>
  /** Waits at most `ms` for the sends in flight, and leaves the rest to the next link. */
  close(ms: number): Promise<void>
  /** The network closed the link, perhaps because of a message in flight. To be called before `cut`. */
  broken(): Promise<void>
  /** The link has ended: requests that wait for an answer reject with `cause`, where it is known. */
  cut(cause?: GatewayError): void
}

/**
 * Sends messages: commits the row and the ratchet, writes the stanza, waits for the network's ack. An id is sent once; a
 * later request with the same id gets the first answer. Messages of one chat are sent in the order of their rows, those
 * of different chats side by side. When a link ends, its unfinished rows stay, and the next link sends them.
 */
export function createOutbox(parts: OutboxParts): Outbox {
  const { wa, outgoing, track, logSent, logFailed, traffic } = parts
  const suspects = createSuspects(parts)
  const acks = createAcks(wa, parts.ackTimeoutMs)
  const running = new Map<string, { fingerprint: string; settled: Promise<void> }>()
  const closing = new AbortController()
  let isCut = false
  let cutBy: GatewayError | undefined

  const isGone = (): boolean => isCut || !wa.ws.isOpen
  const pace = (chat: string): Promise<void> => parts.pace(chat, closing.signal)
  const transmit = createTransmit({ wa, acks, suspects, pace, now: parts.now, isGone })

  function remember(id: string, fingerprint: string, work: Promise<unknown>): void {
    traffic.inFlight += 1
    const done = (): void => {
      traffic.inFlight -= 1
      running.delete(id)
    }
    running.set(id, { fingerprint, settled: work.then(done, done) })
  }

  /** Commits the outcome of a message; if that fails, the row stays as it is. */
  async function kept(logged: Promise<unknown>): Promise<void> {
    await logged.catch((error: unknown) => {
      parts.onFailure(error)
      throw error
    })
  }

  async function fail(
    row: OutgoingRow,
    error: GatewayError,
    isRefused: boolean,
    network = '',
  ): Promise<never> {
    if (isStorageError(error)) {
      parts.onFailure(error)
      throw error
    }
    const failure = suspects.failureOf(row)
    if (failure) throw failure
    if (!isRefused && (isGone() || error.code === 'STOPPING')) {
      const details = 'the link was closed; the message goes out when it is back'
      if (cutBy) throw cutBy
      throw gatewayError('NETWORK_SILENT', [], { details, cause: error })
    }
    traffic[isRefused ? 'refused' : 'unknown'] += 1
    if (network === '463') traffic.restricted += 1
    const { id, chat, traceparent, annotations } = row
    const { code, message: reason } = error
    const ended = outgoing.ended(row, isRefused ? 'failed' : 'unknown', error)
    await kept(logFailed({ id, chat, code, reason, network, annotations }, [ended], { traceparent }))
    throw error
  }

  async function deliver(built: Built, row: OutgoingRow): Promise<Sent> {
    const { id, chat } = built
    const answer = await transmit(built, row).catch((error: unknown) => {
      const refusal = refusalOf(error, 'send')
      // What is refused here is a look-up before the send, such as that of a group's members, or the pace.
      const isUnsent = refusal.status < 500
      if (isUnsent || isGatewayError(error) || refusal.code === 'NETWORK_SILENT')
        return fail(row, refusal, isUnsent)
      return fail(row, gatewayError('SEND_FAILED', [refusal.message], { cause: error }), false)
    })
    const { error, time } = await answer().catch((silence: GatewayError) => fail(row, silence, false))
    if (error) return fail(row, refusalOfAck(error), true, error)
    failpoint('after:ack')
    const sent = { id, chat, timestamp: new Date(time).toISOString() }
    const { traceparent, annotations } = row
    const acked = [outgoing.acked(row, sent.timestamp)]
    await kept(logSent({ message: sentMessage(wa, built, time), annotations }, acked, { traceparent }))
    failpoint('after:sent')
    traffic.acked += 1
    return sent
  }

  /** An id that went out before. What the network refused stays refused, unless it said "later". */
  async function repeat(row: OutgoingRow, fingerprint: string): Promise<Sending> {
    const { id, chat, timestamp } = row
    if (row.fingerprint !== fingerprint) throw gatewayError('ID_REUSED', [id])
    if (row.state === 'queued') return adopt(row)
    if (row.state === 'acked') return { id, isReplay: true, sent: Promise.resolve({ id, chat, timestamp }) }
    const refusal = row.state === 'failed' ? keptRefusal(row.error) : undefined
    if (refusal && refusal.status !== 429) throw refusal
    await outgoing.again(row)
    return { id, isReplay: false, sent: deliver(outgoing.rebuild(row), row) }
  }

  const { adopt, pickUp } = createAdoption({ ...parts, running, isGone, remember, fail, deliver })

  async function begin(
    id: string,
    chat: string,
    content: () => Promise<Content>,
    options: SendOptions,
  ): Promise<Sending> {
    const { fingerprint = '', traceparent } = options
    await pickUp()
    // A new id is random.
    const known = options.id === undefined ? undefined : await outgoing.find(id)
    if (known) return repeat(known, fingerprint)
    const made = await content()
    await assertReachable(wa, parts.devices, chat, options.audience)
    const built = await build(builderOf(wa), chat, made, { ...options, id }, parts.newsletterUpload)
    const encoded = encode(built)
    const { audience, field } = options
    await assertFits(parts, { chat, size: encoded.length, audience, field })
    const annotations = options.annotations?.()
    const { row, stored } = outgoing.begin(built, encoded, { fingerprint, traceparent, annotations })
    // Continues while the row is committed; the frames wait for the commit.
    const sent = deliver(built, row)
    sent.catch(() => undefined)
    await track(stored)
    failpoint('after:outgoing-row')
    return { id, isReplay: false, sent }
  }

  function cut(cause?: GatewayError): void {
    isCut = true
    cutBy ??= cause
    closing.abort(cause ?? gatewayError('NO_CLIENT', [], { details: 'the link was closed' }))
    acks.cut()
  }

  return {
    async send(chat, content, options = {}) {
      closing.signal.throwIfAborted()
      const { fingerprint = '' } = options
      const id = messageId(wa.user?.id, options.id)
      const twin = running.get(id)
      if (twin) throw gatewayError(twin.fingerprint === fingerprint ? 'SEND_RUNNING' : 'ID_REUSED', [id])
      if (running.size >= parts.queue) throw gatewayError('QUEUE_FULL', [running.size])
      const sending = begin(id, chat, content, options)
      const settled = sending.then(({ sent }) => sent)
      remember(id, fingerprint, settled)
      return sending
    },
    resume(rows) {
      const oldest = parts.now() - MAX_RESUME_AGE_MS
      const again = async (row: OutgoingRow): Promise<unknown> => {
        if (row.created < oldest) return fail(row, gatewayError('NETWORK_SILENT'), false)
        if (isBot(row.chat)) await reachBot(wa, parts.devices, row.chat)
        // The note of who has the sender key may be committed though the frame with the key never left.
        if (isJidGroup(row.chat)) await wa.authState.keys.set({ 'sender-key-memory': { [row.chat]: null } })
        return deliver(outgoing.rebuild(row), row)
      }
      for (const row of rows) remember(row.id, row.fingerprint, again(row))
    },
    pickUp,
    async close(ms) {
      closing.abort(gatewayError('STOPPING'))
      const settled = Promise.all([...running.values()].map((entry) => entry.settled))
      await withTimeout(settled, ms, () => undefined)
      cut()
    },
    broken: suspects.blame,
    cut,
  }
}
