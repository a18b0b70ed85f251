import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import type { LidMap } from '../signal/lid-map.ts'

/**
 * Looks a recipient's LID up again where the ack of a message says that the known one is out of date
 * (whatsapp-rust src/client/node_io.rs). One look-up at a time answers all acks.
 */
export function refreshLids(wa: Pick<WASocket, 'ws'>, lids: Pick<LidMap, 'refresh'>): void {
  wa.ws.on('CB:ack,class:message', ({ attrs }: BinaryNode) => {
    if (attrs['refresh_lid'] === 'true' && attrs['from']) lids.refresh(attrs['from']).catch(() => undefined)
  })
}
