import type { BinaryNode } from '@whiskeysockets/baileys'
import { isPlainReceipt } from '../protocol/signals.ts'
import type { Receive, Stage } from './stage.ts'

/**
 * Acknowledges plain receipts, which the journal has stored. Baileys would only raise events that nothing reads
 * (unused-events.ts), behind a mutex, a queue and a buffer (Socket/messages-recv.js handleReceipt), in a group for each
 * member.
 */
export function acknowledgeReceipts(acknowledge: (receipt: BinaryNode) => Promise<void>): Stage<Receive> {
  return (next) =>
    (event, ...args) => {
      const [stanza] = args
      if (event !== 'CB:receipt' || !isPlainReceipt(stanza as BinaryNode)) return next(event, ...args)
      // Fails on a closing link; the network then delivers the receipt again.
      acknowledge(stanza as BinaryNode).catch(() => undefined)
      return true
    }
}
