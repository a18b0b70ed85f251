import { parseJid } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Device } from '../directory/accounts.ts'
import type { NetworkState } from '../state.ts'

/** The real network waits a few minutes. */
const REDELIVERY_MS = 200

/**
 * Whether a receipt confirms the queued copy of an own message: it names the copy's recipient, or none. If the receipt names
 * another recipient, the network keeps the copy and repeats it for weeks (WhiskeySockets/Baileys#2822).
 */
export function confirms(state: NetworkState, device: Device, id: string, receipt: Stanza): boolean {
  const copy = state.delivery.queued(device, 'message', id).find(({ attrs }) => attrs['recipient'])
  const { recipient } = receipt.attrs
  if (!copy || recipient === undefined) return true
  return parseJid(copy.attrs['recipient'])?.user === parseJid(recipient)?.user
}

/** Copies whose receipt named another recipient. */
const unconfirmed = new WeakSet<Stanza>()

/**
 * Whether an error ack leaves such a copy queued. Baileys can't decrypt the second delivery and refuses it, yet according to
 * the report more than a thousand deliveries followed.
 */
export function isUnconfirmed({ delivery }: NetworkState, device: Device, id: string): boolean {
  return delivery.queued(device, 'message', id).some((copy) => unconfirmed.has(copy))
}

/** Sends the unconfirmed copies with this id again after a pause. */
export function redeliverLater(state: NetworkState, device: Device, id: string): void {
  const copies = (): readonly Stanza[] => state.delivery.queued(device, 'message', id)
  for (const copy of copies()) unconfirmed.add(copy)
  const again = (): void => {
    for (const copy of copies()) {
      state.counters.redelivered += 1
      state.delivery.sendTransient(device, copy)
    }
  }
  setTimeout(again, REDELIVERY_MS).unref()
}
