import { bare, children, el, parseJid, seconds } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import { type Device, inFormOf } from './accounts.ts'
import { askPhone } from './media-retry.ts'
import { takeViews } from './newsletter-posts.ts'
import { allowRepeat } from './relay.ts'
import type { NetworkState } from './state.ts'

/** Types that end the wait for a message and go no further. */
const SILENT = new Set(['sender', 'peer_msg', 'hist_sync'])

/** A device says that it received, read, played, or could not decrypt messages. */
export function takeReceipt(state: NetworkState, device: Device, receipt: Stanza): void {
  const { id = '', to = '', type, participant, recipient } = receipt.attrs
  state.counters.receipts += 1
  device.link?.send(el('ack', { class: 'receipt', id, from: to, type, participant }))
  // The ack that follows ends the wait. If both did, that ack would end it for the copy that was asked for.
  if (type === 'retry') return forwardRetry(state, device, receipt)
  for (const one of idsOf(receipt)) {
    state.delivery.acknowledge(device, 'message', one, [participant ?? to, to, recipient])
  }
  if (type === 'view') return takeViews(state, device, receipt)
  if (type === 'server-error') return askPhone(state, device, receipt)
  if (type === 'read-self') return forwardOwnRead(state, device, receipt)
  if (type === undefined || !SILENT.has(type)) forward(state, device, receipt)
}

export function takeAck(state: NetworkState, device: Device, ack: Stanza): void {
  const { id = '', class: kind = '', to, participant } = ack.attrs
  state.delivery.acknowledge(device, kind, id, [participant ?? to, to])
}

function forward(state: NetworkState, device: Device, receipt: Stanza): void {
  const { id, to = '', type, participant, t } = receipt.attrs
  const isGroup = parseJid(to)?.server === 'g.us' || to === 'status@broadcast'
  const author = state.directory.find(isGroup ? (participant ?? '') : to)
  if (!author) return
  const reader = inFormOf(isGroup ? (participant ?? '') : to, device.account)
  const who = isGroup ? { from: to, participant: reader } : { from: reader }
  // `inactive` only says that nobody is looking; to the sender it means delivered.
  const shown = type === 'inactive' ? undefined : type
  const attrs = { ...who, id, type: shown, t: t ?? seconds() }
  if (author !== device.account) state.delivery.toAccount(author, el('receipt', attrs, receipt.content))
  if (shown === 'read' && author !== device.account) forwardOwnRead(state, device, receipt)
}

/** What was read on one device shows as read on the account's others. */
function forwardOwnRead(state: NetworkState, device: Device, receipt: Stanza): void {
  const { id, to, participant, t } = receipt.attrs
  const attrs = {
    from: device.account.jid,
    recipient: to,
    participant,
    id,
    type: 'read-self',
    t: t ?? seconds(),
  }
  state.delivery.toAccount(device.account, el('receipt', attrs, receipt.content), device)
}

/** Goes to the very device that encrypted, in the name of the very device that could not decrypt. */
function forwardRetry(state: NetworkState, device: Device, receipt: Stanza): void {
  const { id, to = '', participant, recipient, t } = receipt.attrs
  state.counters.retries += 1
  const isGroup = parseJid(to)?.server === 'g.us' || to === 'status@broadcast'
  const target = state.directory.device(isGroup ? (participant ?? '') : to)
  if (!target) return
  allowRepeat(target.account, isGroup ? [to] : [device.account.jid, device.account.lid], id ?? '')
  const isLid = bare(isGroup ? (participant ?? '') : to).endsWith('@lid')
  const asking = isLid ? device.lid : device.jid
  const who = isGroup ? { from: to, participant: asking } : { from: asking, participant: undefined }
  state.delivery.deliver(
    target,
    el('receipt', { ...who, id, recipient, type: 'retry', t: t ?? seconds() }, receipt.content),
  )
}

function idsOf(receipt: Stanza): string[] {
  const listed = children(children(receipt, 'list')[0], 'item').map(({ attrs }) => attrs['id'] ?? '')
  return [receipt.attrs['id'] ?? '', ...listed]
}
