import './before.ts'
import { GroupCipher } from '@whiskeysockets/baileys/lib/Signal/Group/group_cipher.js'
import type { SenderKeyState } from '@whiskeysockets/baileys/lib/Signal/Group/sender-key-state.js'

interface Cipher {
  getSenderKey(state: SenderKeyState, iteration: number): unknown
}

/**
 * Mends how a message to a group steps the sender's chain: stock rc14 leaves out every other step
 * (Signal/Group/group_cipher.js encrypt). The sender and every member then keep the keys of the steps that were left
 * out, up to 2,000 of them, for messages that never come; they read and write 450 KB with each message. Official
 * clients take one step a message. Only the chain's own device has the key that signs.
 */
export function mendSenderKeys(): void {
  const cipher = GroupCipher.prototype as unknown as Cipher
  const { getSenderKey } = cipher
  cipher.getSenderKey = function (state, iteration) {
    const isOwn = (state.getSigningKeyPrivate()?.length ?? 0) > 0
    return getSenderKey.call(this, state, isOwn ? state.getSenderChainKey().getIteration() : iteration)
  }
}
