import { el, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Device } from '../directory/accounts.ts'
import type { NetworkState } from '../state.ts'

/** Forwards a companion's request for a re-upload to the phone of its own account. */
export function requestReupload(
  { directory, delivery }: NetworkState,
  device: Device,
  receipt: Stanza,
): void {
  const { id, to = '', type } = receipt.attrs
  const phone = device.account.devices.get(0)
  if (!phone || directory.find(to) !== device.account) return
  delivery.deliver(phone, el('receipt', { from: device.jid, id, type, t: seconds() }, receipt.content))
}

/** Forwards the phone's answer to the companion that requested the re-upload. */
export function forwardMediaRetry(
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
