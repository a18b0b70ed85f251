import type { BinaryNode } from '@whiskeysockets/baileys'
import { isPlainReceipt } from '../protocol/signals.ts'
import type { Receive, Stage } from './stage.ts'

/**
 * Acknowledges the receipts that say how far a message got, which the journal has stored. All that Baileys does with one
 * beyond that is to raise events that nothing reads (unused-events.ts), behind a mutex, a queue and a buffer
 * (Socket/messages-recv.js handleReceipt): in a group it would do so for each member.
 */
export function acknowledgeReceipts(acknowledge: (receipt: BinaryNode) => Promise<void>): Stage<Receive> {
  return (next) =>
    (event, ...args) => {
      const [stanza] = args
      if (event !== 'CB:receipt' || !isPlainReceipt(stanza as BinaryNode)) return next(event, ...args)
      // Fails on a link that is closing; the network then delivers the receipt again.
      acknowledge(stanza as BinaryNode).catch(() => undefined)
      return true
    }
}
