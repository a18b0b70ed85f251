import { el, parseJid } from '../../stanza.ts'
import type { ActionParts } from './action.ts'

/** Removes a companion of the account, by its JID: from the phone's signed list, then on the network, which tells others. */
export async function removeCompanion(
  { uplink, keyIndexes }: ActionParts,
  jid: string,
): Promise<Record<string, unknown>> {
  // Others look the list up as soon as they are told.
  keyIndexes.remove(parseJid(jid)?.device ?? 0)
  const removed = el('remove-companion-device', { jid, reason: 'user_initiated' })
  await uplink.query(el('iq', { xmlns: 'md', type: 'set', to: 's.whatsapp.net' }, [removed]))
  return {}
}
