import { el, seconds } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import type { Device } from './accounts.ts'
import type { NetworkState } from './state.ts'

/** A companion misses a file on the media host: its own phone may have it, and nobody else is asked. */
export function askPhone({ directory, delivery }: NetworkState, device: Device, receipt: Stanza): void {
  const { id, to = '', type } = receipt.attrs
  const phone = device.account.devices.get(0)
  if (!phone || directory.find(to) !== device.account) return
  delivery.deliver(phone, el('receipt', { from: device.jid, id, type, t: seconds() }, receipt.content))
}

/** What a phone says to that goes to the companion that asked, under the id of the message. */
export function answerCompanion(
  { directory, delivery }: NetworkState,
  phone: Device,
  { attrs, content }: Stanza,
): void {
  const { id, to = '', type } = attrs
  const companion = directory.device(to)
  if (phone.id !== 0 || type !== 'mediaretry' || companion?.account !== phone.account) return
  delivery.deliver(
    companion,
    el('notification', { from: phone.account.jid, id, type, t: seconds() }, content),
  )
}
