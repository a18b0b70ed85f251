import { el } from '../../stanza.ts'
import type { Device } from '../directory/accounts.ts'
import type { NetworkState } from '../state.ts'
import type { Newsletter } from './newsletters.ts'

/** Notifies the account's other devices of an action of one device. */
export function notifyOtherDevices(
  state: NetworkState,
  actor: Device,
  operation: string,
  what: string,
  body: unknown,
): void {
  const data = { data: { [`xwa2_notify_newsletter_${what}`]: body } }
  const update = el('update', { op_name: operation }, Buffer.from(JSON.stringify(data)))
  for (const device of actor.account.devices.values()) {
    if (device !== actor) state.delivery.notify(device, 'mex', [update])
  }
}

/**
 * Notifies every device of the followers, except the actor, of a change to the newsletter. Baileys reads only `updates`
 * (Socket/messages-recv.js handleLegacyMexNewsletterNotification).
 */
export function notifyFollowers(
  state: NetworkState,
  { jid, followers }: Newsletter,
  actor: Device,
  change: { operation: string; what: string; body: object; update?: object },
): void {
  const { operation, what, body, update } = change
  const data = { [`xwa2_notify_newsletter_${what}`]: { id: jid, ...body } }
  const updates = update ? { operation, updates: [{ jid, ...update }] } : {}
  const content = Buffer.from(JSON.stringify({ data, ...updates }))
  const node = el('update', { op_name: operation }, content)
  for (const follower of followers.keys())
    for (const device of follower.devices.values())
      if (device !== actor) state.delivery.notify(device, 'mex', [node])
}
