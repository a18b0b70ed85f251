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
import { finalRefusal, refusalOf, refusalOfAck } from '../protocol/refusal.ts'
import { sentMessage } from '../protocol/sent-message.ts'
import type { Content, Sending, SendOptions, Sent } from '../sdk.ts'
import type { Outgoing, OutgoingRow } from '../store/outgoing.ts'
import type { Traffic } from '../traffic.ts'
import { createAcks } from './acks.ts'
import { createAdoption, MAX_RESUME_AGE_MS } from './adoption.ts'
import { build, builderOf } from './content.ts'
import { assertFits } from './frame-size.ts'
import { createInFlight } from './in-flight.ts'
import { createLateOutcomes, type LateOutcomes } from './late-outcomes.ts'
import type { NewsletterUpload } from './newsletter-upload.ts'
import { assertReachable } from './recipients.ts'
import type { Stamp } from './stamp.ts'
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
  /** How long a link is open before a message is tried on it that may close it. */
  trialMs: number
  /** Resolves when the network has answered a ping. */
  ping(): Promise<unknown>
  /** Resolves when the frames handed over so far are written. */
  settled(): Promise<void>
  newsletterUpload(): NewsletterUpload
  groupOf(jid: string): Promise<GroupMetadata | undefined>
  stamp: Stamp
  /** Messages that may be in flight at once. */
  queue: number
  /** Whether other processes store messages of this session, which go before later ones. */
  isShared: boolean
  /** A message that another process has stored has its outcome. */
  onOutcome(id: string): void
  traffic: Traffic
}

export interface Outbox extends Pick<LateOutcomes, 'awaits' | 'received'> {
  send(chat: string, content: () => Promise<Content>, options?: SendOptions): Promise<Sending>
  /**
   * The link is open: sends again, under their old ids and in their old order, what the last one left unfinished. Resolves
   * once all of it is under way.
   */
  resume(): Promise<void>
  /** Sends what other processes have stored; resolves once all of it is under way. */
  pickUp(): Promise<void>
  /** Waits at most `ms` for the sends in flight, and leaves the rest to the next link. */
  close(ms: number): Promise<void>
  /** The link has ended and was not asked to; `isBrokenOff`: the network closed it. To be called before `cut`. */
  ended(isBrokenOff: boolean): Promise<void>
  /** The link has ended: requests that wait for an answer reject with `cause`, where it is known. */
  cut(cause?: GatewayError): void
}

/**
 * Sends messages: commits the row and the ratchet, writes the stanza, waits for the network's ack. An id is sent once; a
 * later request with the same id gets the first answer, also one that comes while the first is under way. Messages of one chat are sent in the order of their rows, those
 * of different chats side by side. When a link ends, its unfinished rows stay, and the next link sends them.
 */
export function createOutbox(parts: OutboxParts): Outbox {
  const { wa, outgoing, track, logSent, logFailed, traffic } = parts
  const inFlight = createInFlight(traffic)
  const closing = new AbortController()
  let isCut = false
  let cutBy: GatewayError | undefined

  const isGone = (): boolean => isCut || !wa.ws.isOpen
  const suspects = createSuspects({ ...parts, isGone, signal: closing.signal })
  const late = createLateOutcomes({ ...parts, isUnderWay: inFlight.has, refuse })
  const acks = createAcks(wa, parts.ackTimeoutMs, late.acked)
  const pace = (chat: string): Promise<void> => parts.pace(chat, closing.signal)
  const transmit = createTransmit({ wa, acks, suspects, pace, now: parts.now, isGone })

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
    // Without a link only an ack says anything of the message: whatever else fails then fails for want of the link.
    if (!network && (isGone() || error.code === 'STOPPING')) {
      const details = 'the link was closed; the message goes out when it is back'
      if (cutBy) throw cutBy
      throw gatewayError('NETWORK_SILENT', [], { details, cause: error })
    }
    await kept(end(row, error, isRefused ? 'failed' : 'unknown', network))
    throw error
  }

  async function end(
    row: OutgoingRow,
    error: GatewayError,
    outcome: 'failed' | 'unknown',
    network: string,
  ): Promise<void> {
    traffic[outcome === 'failed' ? 'refused' : 'unknown'] += 1
    if (network === '463') traffic.restricted += 1
    const { id, chat, traceparent, annotations } = row
    const { code, message: reason } = error
    const ended = outgoing.ended(row, outcome, error)
    await logFailed({ id, chat, code, reason, network, outcome, annotations }, [ended], { traceparent })
    late.add(id)
  }

  async function refuse(row: OutgoingRow, error: GatewayError, network: string): Promise<void> {
    await end(row, error, 'failed', network)
    parts.onOutcome(row.id)
  }

  async function deliver(built: Built, row: OutgoingRow, prepare?: () => Promise<void>): Promise<Sent> {
    const { id, chat } = built
    const answer = await transmit(built, row, prepare).catch((error: unknown) => {
      const refusal = refusalOf(error, 'send')
      // What is refused here is a look-up before the send, such as that of a group's members, or the pace.
      const isUnsent = refusal.status < 500
      if (isUnsent || isGatewayError(error) || refusal.code === 'NETWORK_SILENT')
        return fail(row, refusal, isUnsent)
      return fail(row, gatewayError('SEND_FAILED', [refusal.message], { cause: error }), false)
    })
    const { error, time } = await answer().catch((silence: GatewayError) => fail(row, silence, false))
    if (error) return fail(row, refusalOfAck(error, built), true, error)
    failpoint('after:ack')
    const sent = { id, chat, timestamp: new Date(time).toISOString() }
    const { traceparent, annotations } = row
    const acked = [outgoing.acked(row, sent.timestamp)]
    const message = sentMessage(wa, built, time)
    await kept(logSent({ message, annotations, corrects: row.error !== '' }, acked, { traceparent }))
    failpoint('after:sent')
    traffic.acked += 1
    return sent
  }

  /** An id that went out before. A final refusal is repeated, unless an operator wants another attempt. */
  async function repeat(row: OutgoingRow, { fingerprint = '', isAgain }: SendOptions): Promise<Sending> {
    const { id, chat, timestamp } = row
    if (row.fingerprint !== fingerprint) throw gatewayError('ID_REUSED', [id])
    if (row.state === 'queued') return adopt(row)
    if (row.state === 'acked')
      return { id, isReplay: true, isEnded: true, sent: Promise.resolve({ id, chat, timestamp }) }
    const refusal = row.state === 'failed' ? finalRefusal(row.error) : undefined
    if (refusal && !isAgain) throw refusal
    assertLink()
    await outgoing.again(row)
    return { id, isReplay: false, isEnded: false, sent: deliver(outgoing.rebuild(row), row) }
  }

  /** The message, if there is somebody to receive it. */
  async function prepare(
    id: string,
    chat: string,
    content: () => Promise<Content>,
    options: SendOptions,
  ): Promise<{ built: Built; encoded: Uint8Array }> {
    const made = await content()
    const { audience, field } = options
    await assertReachable(wa, parts.devices, chat, audience)
    const plain = await build(builderOf(wa), chat, made, { ...options, id }, parts.newsletterUpload)
    const built = await parts.stamp(plain)
    const encoded = encode(built)
    await assertFits(parts, { chat, size: encoded.length, audience, field })
    return { built, encoded }
  }

  const { adopt, pickUp } = createAdoption({ ...parts, inFlight, isGone, fail, deliver })

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
    if (known) return repeat(known, options)
    const { built, encoded } = await prepare(id, chat, content, options).catch((error: unknown) => {
      if (!isFinal(error)) assertLink(error)
      throw error
    })
    assertLink()
    const annotations = options.annotations?.()
    const { row, stored } = outgoing.begin(built, encoded, { fingerprint, traceparent, annotations })
    // Continues while the row is committed; the frames wait for the commit.
    const sent = deliver(built, row)
    sent.catch(() => undefined)
    await track(stored)
    failpoint('after:outgoing-row')
    return { id, isReplay: false, isEnded: false, sent }
  }

  /** What is stored on a link that has ended may be too late for the next one, which has read what it is to send. */
  function assertLink(cause?: unknown): void {
    if (isGone()) throw gatewayError('NETWORK_SILENT', [], { details: 'the link was closed', cause })
  }

  /** Nothing that another link could change. */
  const isFinal = (error: unknown): boolean =>
    isGatewayError(error) && (error.status < 500 || isStorageError(error))

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
      if (inFlight.has(id)) return inFlight.join(id, fingerprint)
      if (inFlight.size >= parts.queue) throw gatewayError('QUEUE_FULL', [inFlight.size])
      const sending = begin(id, chat, content, options)
      inFlight.add(id, fingerprint, sending)
      return sending
    },
    async resume() {
      suspects.opened()
      const rows = await outgoing.unfinished()
      const oldest = parts.now() - MAX_RESUME_AGE_MS
      const again = async (row: OutgoingRow): Promise<Sent> => {
        if (row.created < oldest) return fail(row, gatewayError('NETWORK_SILENT'), false)
        // It takes its place in its chat at once, in front of what comes meanwhile.
        return deliver(outgoing.rebuild(row), row, async () => {
          if (isBot(row.chat)) await reachBot(wa, parts.devices, row.chat)
          // The note of who has the sender key may be committed though the frame with the key never left.
          if (isJidGroup(row.chat)) await wa.authState.keys.set({ 'sender-key-memory': { [row.chat]: null } })
        })
      }
      for (const row of rows) {
        const sending = { id: row.id, isReplay: false, isEnded: false, sent: again(row) }
        inFlight.add(row.id, row.fingerprint, Promise.resolve(sending))
      }
    },
    pickUp,
    async close(ms) {
      closing.abort(gatewayError('STOPPING'))
      await withTimeout(inFlight.settled(), ms, () => undefined)
      cut()
    },
    awaits: (ids) => late.awaits(ids) || ids.some(acks.isAwaited),
    received(proof) {
      for (const id of proof.ids) acks.prove(id, proof.chats, proof.time)
      return late.received(proof)
    },
    ended: suspects.ended,
    cut,
  }
}
