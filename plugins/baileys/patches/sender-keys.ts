import type { GroupCipher } from '@whiskeysockets/baileys/lib/Signal/Group/group_cipher.js'
import type { SenderKeyState } from '@whiskeysockets/baileys/lib/Signal/Group/sender-key-state.js'

/**
 * Changes how a message to a group steps the sender's chain: stock rc14 leaves out every other step
 * (Signal/Group/group_cipher.js encrypt). The sender and every member then keep the keys of the steps that were left
 * out, up to 2,000 of them, for messages that never come; they read and write 450 KB with each message. Official
 * clients take one step a message. Only the chain's own device has the key that signs.
 */
export function patchSenderKeys({ prototype }: typeof GroupCipher): void {
  const getSenderKey = Reflect.get(prototype, NAME) as (state: SenderKeyState, iteration: number) => unknown
  Reflect.set(prototype, NAME, function (this: unknown, state: SenderKeyState, iteration: number) {
    const isOwn = (state.getSigningKeyPrivate()?.length ?? 0) > 0
    return getSenderKey.call(this, state, isOwn ? state.getSenderChainKey().getIteration() : iteration)
  })
}

/** Private to the class, so it is reached by name. */
const NAME = 'getSenderKey'

/** The key of an own message is that of the step where the chain stands, though Baileys asks for the one after it. */
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
