import type { AuthenticationCreds, BinaryNode, WASocket } from '@whiskeysockets/baileys'
import {
  areJidsSameUser,
  DEFAULT_CONNECTION_CONFIG,
  encodeBigEndian,
  encodeSignedDeviceIdentity,
  getNextPreKeys,
  KEY_BUNDLE_TYPE,
  xmppPreKey,
  xmppSignedPreKey,
} from '../../baileys.ts'
import { omitted } from '../../patches/omitted.ts'
import { isHostedDevice } from '../../protocol/business/hosted-jid.ts'
import { createCache } from '../cache.ts'

export interface RetryRequestParts {
  wa: WASocket
  creds: AuthenticationCreds
  /** Asks the own phone for its copy of the message. */
  askPhone(stanza: BinaryNode): void
}

/** Asks senders to encrypt a message again that could not be decrypted. */
export interface RetryRequests {
  /** A part of the message could not be decrypted; Baileys will ask for it. */
  failed(stanza: BinaryNode, error: unknown): void
}

interface Failure {
  readonly stanza: BinaryNode
  readonly reason: number
}

const MAX_FAILURES = 1_000
const HOUR_MS = 3_600_000
const { maxMsgRetryCount: MAX_REQUESTS } = DEFAULT_CONNECTION_CONFIG
/** From this request on it has keys for a new session; for hosted devices, which keep none, each has (whatsapp-rust protocol/retry.rs). */
const WITH_KEYS = 2
/** The phone is asked, too, with the first requests. */
const ASKS_PHONE = 2

/**
 * Sends the retry receipts in place of Baileys, whose receipts have no reason and name a `recipient` in groups
 * (Socket/messages-recv.js sendRetryRequest). Baileys first asks whether the message has exceeded its retries; at that point the
 * gateway sends its own receipt and answers yes. Messages without a reported failure, which were decrypted but are malformed,
 * are left to Baileys.
 */
export function createRetryRequests({ wa, creds, askPhone }: RetryRequestParts): RetryRequests {
  const failures = createCache<Failure>(MAX_FAILURES, HOUR_MS)
  /** By message and sender. */
  const counts = createCache<number>(MAX_FAILURES, HOUR_MS)

  async function keysOf(): Promise<BinaryNode> {
    const { update, preKeys } = await getNextPreKeys(wa.authState, 1)
    wa.ev.emit('creds.update', update)
    const [[id, pair] = []] = Object.entries(preKeys)
    if (!id || !pair || !creds.account) throw new Error('no keys for a retry receipt')
    return {
      tag: 'keys',
      attrs: {},
      content: [
        { tag: 'type', attrs: {}, content: Buffer.from(KEY_BUNDLE_TYPE) },
        { tag: 'identity', attrs: {}, content: creds.signedIdentityKey.public },
        xmppPreKey(pair, Number(id)),
        xmppSignedPreKey(creds.signedPreKey),
        { tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(creds.account, true) },
      ],
    }
  }

  /** Deletes a session that can't decrypt the sender's messages, at most once an hour, as Baileys does. */
  async function renewSession(author: string): Promise<void> {
    const { exists } = await wa.signalRepository.validateSession(author)
    if (!wa.messageRetryManager?.shouldRecreateSession(author, exists).recreate) return
    await wa.signalRepository.deleteSession([author])
  }

  async function request({ stanza, reason }: Failure, count: number): Promise<void> {
    const { id = '', from = '', participant, t = '' } = stanza.attrs
    const author = participant ?? from
    if (count >= WITH_KEYS) await renewSession(author)
    const error = reason ? { error: String(reason) } : {}
    const retry = { tag: 'retry', attrs: { count: String(count), id, t, v: '1', ...error } }
    const registration = { tag: 'registration', attrs: {}, content: encodeBigEndian(creds.registrationId) }
    await wa.authState.keys.transaction(async () => {
      const keys = count >= WITH_KEYS || isHostedDevice(author) ? [await keysOf()] : []
      const attrs = { id, type: 'retry', to: from, ...senderOf(stanza) }
      await wa.sendNode({ tag: 'receipt', attrs, content: [retry, registration, ...keys] })
    }, creds.me?.id ?? '')
    // Later: Baileys now ends what it has scheduled for the message.
    if (count <= ASKS_PHONE) wa.messageRetryManager?.schedulePhoneRequest(id, () => askPhone(stanza))
  }

  /** Attributes that name the device to ask: of a group member, or an own one, which finds the message by its recipient. */
  function senderOf({ attrs: { from, participant, recipient } }: BinaryNode): Record<string, string> {
    if (participant) return { participant }
    const isOwn = areJidsSameUser(from, creds.me?.id) || areJidsSameUser(from, creds.me?.lid)
    return isOwn && recipient ? { recipient } : {}
  }

  function take(id: string): boolean {
    const failure = failures.get(id)
    if (!failure) return false
    failures.delete(id)
    const { stanza } = failure
    const name = `${id} ${stanza.attrs['participant'] ?? stanza.attrs['from']}`
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    if (count > MAX_REQUESTS) return true
    // On a link that is closing the message waits on the network for the next one.
    request(failure, count).catch(() => undefined)
    return true
  }

  if (wa.messageRetryManager && !omitted.patches.has('retry-requests'))
    replaceRequests(wa.messageRetryManager, take)
  return {
    failed(stanza, error) {
      const { id = '' } = stanza.attrs
      // The last part of a message fails for want of the key in the first.
      if (failures.get(id)?.stanza !== stanza) failures.set(id, { stanza, reason: retryReasonOf(error) })
    },
  }
}

type Retries = Pick<NonNullable<WASocket['messageRetryManager']>, 'hasExceededMaxRetries'>

/** @param take sends the retry receipt of a message; false if it is left to Baileys. */
function replaceRequests(retries: Retries, take: (id: string) => boolean): void {
  const hasExceeded = retries.hasExceededMaxRetries.bind(retries)
  retries.hasExceededMaxRetries = (id) => take(id) || hasExceeded(id)
}

/** Whether Baileys sends no retry receipt for a message that `take` has handled. */
export function areRequestsReplaced(): boolean {
  const retries: Retries = { hasExceededMaxRetries: () => false }
  if (!omitted.patches.has('retry-requests')) replaceRequests(retries, (id) => id === 'ID')
  return retries.hasExceededMaxRetries('ID') && !retries.hasExceededMaxRetries('other')
}
/** Why a message could not be decrypted, as a retry receipt names it (whatsapp-rust protocol/retry.rs). */
const NO_SESSION = 1
const INVALID_KEY = 2
const INVALID_KEY_ID = 3
const INVALID_MESSAGE = 4
const INVALID_SIGNATURE = 5
const FUTURE_MESSAGE = 6
const BAD_MAC = 7
const INVALID_SESSION = 8
const INVALID_MESSAGE_KEY = 9

/** Errors of libsignal (src/session_cipher.js, session_builder.js, crypto.js) and of Baileys' groups (Signal/Group). */
const REASONS: readonly (readonly [RegExp, reason: number])[] = [
  [/^Bad MAC/, BAD_MAC],
  [/^No session record|^No sessions available|^No SenderKeyRecord|^No session found/, NO_SESSION],
  [/^UntrustedIdentityKeyError/, INVALID_KEY],
  [/^Invalid PreKey ID|^Missing SignedPreKey/, INVALID_KEY_ID],
  [/^Invalid signature/, INVALID_SIGNATURE],
  [/into the future/, FUTURE_MESSAGE],
  [/^Chain closed/, INVALID_SESSION],
  [/^Key used already|old counter|^No sender message key/, INVALID_MESSAGE_KEY],
  [
    /^Incompatible version|^InvalidMessageException|^No matching sessions|^invalid wire type/,
    INVALID_MESSAGE,
  ],
]

/** @returns 0 for an unknown reason. */
export function retryReasonOf(error: unknown): number {
  // Thrown by protobufjs: the message can't be decoded.
  if (error instanceof RangeError) return INVALID_MESSAGE
  const { message, name, cause } = error as Error
  // libsignal tries a message on each session, and throws an error of its own in the end: patches/attempts.ts keeps the first.
  const text = cause instanceof Error ? cause.message : message || name
  return REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? 0
}
