import type { GroupCipher } from '@whiskeysockets/baileys/lib/Signal/Group/group_cipher.js'
import type { SenderKeyState } from '@whiskeysockets/baileys/lib/Signal/Group/sender-key-state.js'

/**
 * Changes how a group message steps the sender's chain: unpatched Baileys skips every other step
 * (Signal/Group/group_cipher.js encrypt). The sender and every member then keep the keys of the skipped steps, up to 2,000,
 * for messages that never come, and read and write 450 KB with each message. Official clients take one step per message. A
 * chain is the account's own if it has the private signing key.
 */
export function patchSenderKeys({ prototype }: typeof GroupCipher): void {
  const getSenderKey = Reflect.get(prototype, NAME) as (state: SenderKeyState, iteration: number) => unknown
  Reflect.set(prototype, NAME, function (this: unknown, state: SenderKeyState, iteration: number) {
    const isOwn = (state.getSigningKeyPrivate()?.length ?? 0) > 0
    return getSenderKey.call(this, state, isOwn ? state.getSenderChainKey().getIteration() : iteration)
  })
}

/** Private in the types of the class. */
const NAME = 'getSenderKey'

/** An own message gets the key of the chain's current step, although Baileys requests the next one. */
export function verifySenderKeys({ prototype }: typeof GroupCipher): boolean {
  const chainAt = (iteration: number): object => ({
    getIteration: () => iteration,
    getNext: () => chainAt(iteration + 1),
    getSenderMessageKey: () => iteration,
  })
  const state = {
    getSigningKeyPrivate: () => Buffer.alloc(32),
    getSenderChainKey: () => chainAt(1),
    setSenderChainKey: () => undefined,
    addSenderMessageKey: () => undefined,
  }
  return Reflect.get(prototype, NAME).call({}, state, 2) === 1
}
