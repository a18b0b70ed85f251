import type { BinaryNode } from '@whiskeysockets/baileys'
import { isPnUser } from '../baileys.ts'
import type { LidMap } from '../signal/lid-map.ts'

/** Takes what a notification about a contact says of its LID and of its need for a token. */
export function contactChangesOf(
  lids: Pick<LidMap, 'storeLIDPNMappings'>,
  tokens: { notified(stanza: BinaryNode): Promise<unknown> },
): (stanza: BinaryNode) => void {
  // A failed write of a mapping is repeated with the next one, a failed issuance with the next message.
  return (stanza) => {
    const { type, from: pn = '', sender_lid: lid } = stanza.attrs
    if (type === 'privacy_token' && lid && isPnUser(pn))
      lids.storeLIDPNMappings([{ lid, pn }]).catch(() => undefined)
    tokens.notified(stanza).catch(() => undefined)
  }
}
