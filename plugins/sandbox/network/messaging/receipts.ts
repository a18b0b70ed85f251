import { bare, bytes, child, children, el, parseJid, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { type Device, inFormOf } from '../directory/accounts.ts'
import { handleViews } from '../newsletters/posts.ts'
import type { NetworkState } from '../state.ts'
import { requestReupload } from './media-retry.ts'
import { confirms, isUnconfirmed, redeliverLater } from './redelivery.ts'
import { allowResend } from './relay.ts'

/** Receipt types that acknowledge a message but are not forwarded. */
const NOT_FORWARDED = new Set(['sender', 'peer_msg', 'hist_sync'])

/** Most messages in one receipt; WhatsApp Web splits longer lists (whatsapp-rust receipt.rs). */
const MAX_IDS = 256

/** Handles a receipt for messages that were delivered, read, played, or not decrypted. */
export function handleReceipt(state: NetworkState, device: Device, receipt: Stanza): void {
  const { id = '', to = '', type, participant, recipient } = receipt.attrs
  state.counters.receipts += 1
  device.link?.send(el('ack', { class: 'receipt', id, from: to, type, participant }))
  if (type === 'retry' && !isWellFormed(receipt)) {
    state.counters.malformedRetries += 1
    return
  }
  const ids = idsOf(receipt)
  if (ids.length > MAX_IDS) {
    state.counters.oversizedReceipts += 1
    return
  }
  if (type === 'retry') {
    state.delivery.acknowledge(device, 'message', id, [participant ?? to, to, recipient])
    retriedIds(device).add(id)
    return forwardRetry(state, device, receipt)
  }
  for (const one of ids) {
    if (confirms(state, device, one, receipt))
      state.delivery.acknowledge(device, 'message', one, [participant ?? to, to, recipient])
    else redeliverLater(state, device, one)
  }
  if (type === 'view') return handleViews(state, device, receipt)
  if (type === 'server-error') return requestReupload(state, device, receipt)
  if (type === 'read-self' || type === 'played-self') return forwardOwn(state, device, receipt, type)
  if (type === undefined || !NOT_FORWARDED.has(type)) forwardReceipt(state, device, receipt)
}

export function handleAck(state: NetworkState, device: Device, ack: Stanza): void {
  const { id = '', class: kind = '', to, participant, error } = ack.attrs
  if (kind === 'message' && error && retriedIds(device).delete(id)) return
  if (kind === 'message' && error && isUnconfirmed(state, device, id))
    return redeliverLater(state, device, id)
  state.delivery.acknowledge(device, kind, id, [participant ?? to, to])
}

/**
 * Ids of a device's messages that its retry receipt has dequeued. Some clients then send a negative ack, which must not
 * dequeue the resent copy.
 */
function retriedIds(device: Device): Set<string> {
  const ids = retried.get(device) ?? new Set<string>()
  retried.set(device, ids)
  return ids
}

const retried = new WeakMap<Device, Set<string>>()

function forwardReceipt(state: NetworkState, device: Device, receipt: Stanza): void {
  const { id, to = '', type, participant, t } = receipt.attrs
  const isGroup = parseJid(to)?.server === 'g.us' || to === 'status@broadcast'
  const author = state.directory.find(isGroup ? (participant ?? '') : to)
  if (!author) return
  const reader = inFormOf(isGroup ? (participant ?? '') : to, device.account)
  const who = isGroup ? { from: to, participant: reader } : { from: reader }
  // `inactive`: the recipient's app is in the background. The sender sees the message as delivered.
  const shown = type === 'inactive' ? undefined : type
  const attrs = { ...who, id, type: shown, t: t ?? seconds() }
  if (author !== device.account)
    state.delivery.deliverToAccount(author, el('receipt', attrs, receipt.content))
  if (author === device.account) return
  if (shown === 'read' || shown === 'played') forwardOwn(state, device, receipt, `${shown}-self`)
}

/** Tells the account's other devices what this one has read or played. */
function forwardOwn(state: NetworkState, device: Device, receipt: Stanza, type: string): void {
  const { id, to, participant, t } = receipt.attrs
  const attrs = {
    from: device.account.jid,
    recipient: to,
    participant,
    id,
    type,
    t: t ?? seconds(),
  }
  state.delivery.deliverToAccount(device.account, el('receipt', attrs, receipt.content), device)
}

/** Forwards a retry receipt to the device that encrypted the message, naming the device that failed to decrypt it. */
function forwardRetry(state: NetworkState, device: Device, receipt: Stanza): void {
  const { id, to = '', participant, recipient, t } = receipt.attrs
  state.counters.retries += 1
  const { retryReasons } = state.counters
  const { error: reason = '0' } = children(receipt, 'retry')[0]?.attrs ?? {}
  retryReasons[reason] = (retryReasons[reason] ?? 0) + 1
  const isGroup = parseJid(to)?.server === 'g.us' || to === 'status@broadcast'
  const target = state.directory.device(isGroup ? (participant ?? '') : to)
  if (!target) return
  allowResend(target.account, isGroup ? [to] : [device.account.jid, device.account.lid], id ?? '')
  const isLid = bare(isGroup ? (participant ?? '') : to).endsWith('@lid')
  const requester = isLid ? device.lid : device.jid
  const who = isGroup ? { from: to, participant: requester } : { from: requester, participant: undefined }
  state.delivery.deliver(
    target,
    el('receipt', { ...who, id, recipient, type: 'retry', t: t ?? seconds() }, receipt.content),
  )
}

function idsOf(receipt: Stanza): string[] {
  const listed = children(children(receipt, 'list')[0], 'item').map(({ attrs }) => attrs['id'] ?? '')
  return [receipt.attrs['id'] ?? '', ...listed]
}

/** Highest reason in a retry receipt: 0 unknown, 1 no session, 2 invalid key … 13 revoked status (WR protocol/retry.rs). */
const MAX_REASON = 13
/** Maximum number of requests for one message (WR protocol/retry.rs). */
const MAX_COUNT = 5
const REGISTRATION_BYTES = 4

/**
 * Whether the network forwards a retry receipt: it has the message and the attempt, the device's registration, a known reason
 * if any, and in a group no `recipient`. What WhatsApp does with others is not known; here they are dropped.
 */
function isWellFormed(receipt: Stanza): boolean {
  const { id, to, recipient } = receipt.attrs
  const { count, id: of, error = '0' } = child(receipt, 'retry')?.attrs ?? {}
  const isGroup = parseJid(to)?.server === 'g.us'
  return (
    of === id &&
    isWithin(count, 1, MAX_COUNT) &&
    isWithin(error, 0, MAX_REASON) &&
    bytes(child(receipt, 'registration')).length === REGISTRATION_BYTES &&
    !(isGroup && recipient !== undefined)
  )
}

function isWithin(text: string | undefined, least: number, most: number): boolean {
  return /^\d{1,2}$/.test(text ?? '') && Number(text) >= least && Number(text) <= most
}
