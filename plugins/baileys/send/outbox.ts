import type { CacheStore, GroupMetadata, proto, WASocket } from '@whiskeysockets/baileys'
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
import { finalRefusal, refusalOf } from '../protocol/refusal.ts'
import { sentMessage } from '../protocol/sent-message.ts'
import type { Content, Sending, SendOptions, Sent } from '../sdk.ts'
import type { Relay } from '../socket/relay.ts'
import type { Outgoing, OutgoingRow } from '../store/outgoing.ts'
import type { Traffic } from '../traffic.ts'
import { type Ack, createAcks } from './acks.ts'
import type { AddressSpace } from './address-space.ts'
import { createAdoption, MAX_RESUME_AGE_MS } from './adoption.ts'
import { type Builder, build } from './content.ts'
import { assertFits } from './frame-size.ts'
import { createInFlight } from './in-flight.ts'
import { createLateOutcomes, type LateOutcomes } from './late-outcomes.ts'
import type { OutcomeWait } from './outcome-wait.ts'
import type { Participants } from './participants.ts'
import { reach } from './recipients.ts'
import type { Stamp } from './stamp.ts'
import { createSuspects } from './suspects.ts'
import type { NewChatRefusal, NewChatRefusals } from './tokens/new-chat-refusals.ts'
import type { PrivacyToken } from './tokens/privacy-tokens.ts'
import { createTransmit, type TransmitOptions } from './transmit.ts'

interface OutboxParts {
  wa: WASocket
  relay: Relay
  devices: CacheStore
  outgoing: Outgoing
  /** Holds all frames until the write is committed. */
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
  /** The storage failed for a message whose row is stored: the next link sends it. */
  onFailure(error: unknown): void
  /** Waits until the pace allows a message to the chat. Rejects if it never does. */
  pace(chat: string, signal: AbortSignal): Promise<void>
  /** In the time of the rows, which another process may have written. */
  now(): number
  ackTimeoutMs: number
  /** Minimum time that a link has been open before a suspect message is tried on it. */
  trialMs: number
  /** Resolves when the network has answered a ping. */
  ping(): Promise<unknown>
  /** Resolves when the frames handed over so far are written. */
  settled(): Promise<void>
  builder(): Builder
  groupOf(jid: string): Promise<GroupMetadata | undefined>
  stamp: Stamp
  privacyToken: PrivacyToken
  participants: Participants
  refusals: NewChatRefusals
  space: AddressSpace
  /** Remembers the chat of a message, which its receipts may name otherwise. */
  noteChat(id: string, chat: string): void
  /** A message was handed over; to a person who does not have the account's token it is followed by one. */
  issueToken(chat: string, message: proto.IMessage): void
  /** Messages that may be in flight at once. */
  queue: number
  /** Whether other processes may store messages of this session, which are sent first. */
  isShared: boolean
  /** Waits for the outcome of a message of which another process has taken over the session; absent without others. */
  outcomeOf?: OutcomeWait
  /** A request is answered, and its outcome is being stored. */
  onAnswered(id: string, stored: Promise<unknown>): void
  /** A message stored by another process has its outcome. */
  onOutcome(id: string): void
  /** The error for a request that another process must answer. */
  notOwned(): GatewayError
  traffic: Traffic
}

export interface Outbox extends Pick<LateOutcomes, 'awaits' | 'received'> {
  send(chat: string, content: () => Promise<Content>, options?: SendOptions): Promise<Sending>
  /**
   * Call it when the link is open: resends the messages that the last link left unfinished, with their ids and in their
   * order. Resolves when all of them are in flight.
   */
  resume(): Promise<void>
  /** Sends the messages stored by other processes; resolves when all of them are in flight. */
  pickUp(): Promise<void>
  /** Waits at most `ms` for the sends in flight and leaves the rest to the next link. */
  close(ms: number): Promise<void>
  /** The link has ended without a request; `isBrokenOff`: the network closed it. Call it before `cut`. */
  ended(isBrokenOff: boolean): Promise<void>
  /** The link has ended: requests that wait for an answer reject, with `cause` if given. */
  cut(cause?: GatewayError): void
}

/** How long a request waits for another process to send its message: longer than a session needs to connect there. */
const HANDED_OVER_MS = 15_000
/** The code of a refusal that may mean that the addresses are of the wrong space. */
const MISADDRESSED = '400'

/**
 * Sends messages: commits the row and the ratchet, writes the stanza, waits for the network's ack.
 *
 * States are those of the row (store/outgoing.ts):
 * - queued: stored by another process, not yet seen by this one;
 * - sending: in flight, or left unfinished by an earlier link;
 * - acked: the network or a recipient has it;
 * - failed: refused, or given up (suspects.ts);
 * - unknown: no ack in time, an error while sending, or too old to be resumed.
 *
 * Transitions:
 * - none to sending: `send`; none to queued: remote.ts;
 * - queued to sending: adoption.ts, which may also end the row as failed or unknown before it is sent;
 * - sending to acked, failed or unknown: the first answer, or the lack of one;
 * - failed or unknown to sending: the request is repeated. After a final refusal this takes an operator;
 * - failed or unknown to acked, unknown to failed: a late ack or receipt (late-outcomes.ts).
 *
 * Invariants:
 * - An id is sent once. A repeated request gets the first result, also while the first send is under way; a different
 *   request with the same id is refused.
 * - No frame leaves before its row is committed. A refusal is returned when it is committed; an acknowledgement at once, as
 *   its row makes the send repeatable: if the process ends before the outcome is committed, the next link sends the message
 *   again under its id, which recipients show once. It stays in flight until then, also for a repeated request.
 * - Messages of one chat leave in the order of their rows, except one that is sent a second time with another privacy token.
 *   Chats do not wait for each other, except for a trial (suspects.ts).
 * - When the link ends, rows without an answer stay as they are, and the next link continues with them.
 */
export function createOutbox(parts: OutboxParts): Outbox {
  const { wa, outgoing, track, logSent, logFailed, space, traffic } = parts
  const inFlight = createInFlight(traffic)
  const closing = new AbortController()
  let isCut = false
  let isHandedOver = false
  let cutBy: GatewayError | undefined

  const isGone = (): boolean => isCut || !wa.ws.isOpen
  const suspects = createSuspects({ ...parts, isGone, signal: closing.signal })
  const late = createLateOutcomes({ ...parts, isUnderWay: inFlight.has, refuse })
  const acks = createAcks(wa, parts.ackTimeoutMs, late.acked)
  const pace = (chat: string): Promise<void> => parts.pace(chat, closing.signal)
  const transmit = createTransmit({ ...parts, acks, suspects, pace, isGone })

  /** Commits the outcome of a message; if that fails, the row keeps its state. */
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
    // On an ended link only an ack tells anything about the message: all other errors are due to the end of the link.
    if (!network && (isGone() || error.code === 'STOPPING')) {
      const details = 'the link was closed; the message will be sent when it is open again'
      if (cutBy) throw cutBy
      throw gatewayError('NETWORK_SILENT', [], { details, cause: error })
    }
    await kept(end(row, error, isRefused ? 'failed' : 'unknown', network))
    throw error
  }

  async function end(
    row: OutgoingRow,
    error: NewChatRefusal,
    outcome: 'failed' | 'unknown',
    network: string,
  ): Promise<void> {
    traffic[outcome === 'failed' ? 'refused' : 'unknown'] += 1
    if (error.code === 'ACCOUNT_RESTRICTED') traffic.restricted += 1
    if (error.code === 'TOKEN_MISSING') traffic.tokenless += 1
    const { id, chat, traceparent, annotations } = row
    const { code, message: reason, until } = error
    const ended = outgoing.ended(row, outcome, error)
    const failed = { id, chat, code, reason, network, outcome, annotations, ...(until ? { until } : {}) }
    await logFailed(failed, [ended], { traceparent })
    late.add(id)
  }

  async function refuse(row: OutgoingRow, error: GatewayError, network: string): Promise<void> {
    await end(row, error, 'failed', network)
    parts.onOutcome(row.id)
  }

  /** A refused message is sent once more with another token, and once more in the other space of addresses. */
  async function deliver(
    built: Built,
    row: OutgoingRow,
    options: TransmitOptions & { isRetry?: boolean } = {},
  ): Promise<Sent> {
    const { id, chat } = built
    const { isRetry = false, inOtherSpace = false } = options
    const answer = await transmit(built, row, options).catch((error: unknown) => {
      const refusal = refusalOf(error, 'send')
      // A refusal here comes from a look-up before the send, for example of a group's members, or from the pace.
      const isUnsent = refusal.status < 500
      if (isUnsent || isGatewayError(error) || refusal.code === 'NETWORK_SILENT')
        return fail(row, refusal, isUnsent)
      return fail(row, gatewayError('SEND_FAILED', [refusal.message], { cause: error }), false)
    })
    const ack = await answer().catch((silence: GatewayError) => fail(row, silence, false))
    const { error, time } = ack
    if (error && !isRetry && (await parts.refusals.hasAnotherToken(built, ack)))
      return deliver(built, row, { inOtherSpace, isRetry: true })
    if (!inOtherSpace && (await isRefusedSpace(chat, ack)))
      return deliver(built, row, { inOtherSpace: true, isRetry })
    if (inOtherSpace && !error) space.learn(ack.address ?? '')
    if (error) return fail(row, await parts.refusals.refusalOf(error, built, ack), true, error)
    failpoint('after:ack')
    const sent = { id, chat, timestamp: new Date(time).toISOString() }
    const { traceparent, annotations, relay } = row
    const audience = relay.statusJidList
    const acked = [outgoing.acked(row, sent.timestamp)]
    const message = sentMessage(wa, built, time)
    const logged = logSent({ message, annotations, audience, corrects: row.error !== '' }, acked, {
      traceparent,
      // Usually committed with the row of the next message: the answer does not wait for it.
      isDeferred: true,
    })
    const stored = kept(logged).then(() => failpoint('after:sent'))
    // If that fails, the link is closed, and the next one sends the message again under its id.
    inFlight.store(id, stored)
    parts.onAnswered(id, stored)
    traffic.acked += 1
    return sent
  }

  async function isRefusedSpace(chat: string, { error, address }: Ack): Promise<boolean> {
    return error === MISADDRESSED && address !== undefined && (await space.address(chat, true)) !== address
  }

  /**
   * A send that a routine move cuts off is not given up: the process that takes the session over sends it again, under the
   * same id, and the request waits for that.
   */
  async function delivered(built: Built, row: OutgoingRow): Promise<Sent> {
    try {
      return await deliver(built, row)
    } catch (error) {
      const isCutOff = isHandedOver && !cutBy && isGatewayError(error) && error.code === 'NETWORK_SILENT'
      if (!isCutOff || !parts.outcomeOf) throw error
      return parts.outcomeOf(row.id, HANDED_OVER_MS)
    }
  }

  /** A request with a known id. A final refusal is repeated unless an operator wants another attempt. */
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
    return { id, isReplay: false, isEnded: false, sent: delivered(outgoing.rebuild(row), row) }
  }

  /** Builds the message if it has a recipient. */
  async function prepare(
    id: string,
    given: string,
    content: () => Promise<Content>,
    options: SendOptions,
  ): Promise<{ built: Built; encoded: Uint8Array }> {
    const made = await content()
    const { audience, field } = options
    const { chat, address } = await reach(wa, parts.devices, space, given, audience)
    const plain = await build(parts.builder(), chat, made, { ...options, id })
    const built = await parts.stamp(plain)
    const encoded = encode(built)
    await assertFits(parts, { chat: address, size: encoded.length, audience, field })
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
    // A generated id is random, so it can't be known.
    const known = options.id === undefined ? undefined : await outgoing.find(id)
    if (known) return repeat(known, options)
    const { built, encoded } = await prepare(id, chat, content, options).catch((error: unknown) => {
      if (!isFinal(error)) assertLink(error)
      throw error
    })
    assertLink()
    const annotations = options.annotations?.()
    const { row, stored } = outgoing.begin(built, encoded, { fingerprint, traceparent, annotations })
    // Starts while the row is being committed; the frames wait for the commit.
    const sent = delivered(built, row)
    sent.catch(() => undefined)
    await track(stored)
    failpoint('after:outgoing-row')
    return { id, isReplay: false, isEnded: false, sent }
  }

  /** A row stored on an ended link may be too late for the next one, which has already read its unfinished rows. */
  function assertLink(cause?: unknown): void {
    // Nothing is stored yet: the process that takes over begins anew.
    if (isHandedOver && parts.outcomeOf) throw parts.notOwned()
    if (isGone()) throw gatewayError('NETWORK_SILENT', [], { details: 'the link was closed', cause })
  }

  /** An error that another link would not change. */
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
      if (isHandedOver && parts.outcomeOf) throw parts.notOwned()
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
        // Takes its place in its chat immediately, before new messages.
        const prepare = async (): Promise<void> => {
          if (isBot(row.chat)) await reachBot(wa, parts.devices, row.chat)
          // The note that devices have the sender key may be committed although the frame with the key never left.
          if (isJidGroup(row.chat)) await wa.authState.keys.set({ 'sender-key-memory': { [row.chat]: null } })
        }
        return deliver(outgoing.rebuild(row), row, { prepare })
      }
      for (const row of rows) {
        const sending = { id: row.id, isReplay: false, isEnded: false, sent: again(row) }
        inFlight.add(row.id, row.fingerprint, Promise.resolve(sending))
      }
    },
    pickUp,
    async close(ms) {
      isHandedOver = true
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
