import type { proto, SocketConfig } from '@whiskeysockets/baileys'

/** The devices that messages were encrypted for. */
export interface Addressed {
  /** Baileys calls it for each list of devices that it encrypts a message for (Socket/messages-send.js createParticipantNodes). */
  readonly patchMessageBeforeSending: SocketConfig['patchMessageBeforeSending']
  /** JIDs of the devices; of a message to a group none, which is encrypted once for all. */
  of(message: proto.IMessage): ReadonlySet<string>
}

export function createAddressed(): Addressed {
  const devices = new WeakMap<proto.IMessage, Set<string>>()
  return {
    patchMessageBeforeSending(message, jids = []) {
      // Own devices get the message in an envelope.
      const sent = message.deviceSentMessage?.message ?? message
      const known = devices.get(sent)
      if (!known) devices.set(sent, new Set(jids))
      else for (const jid of jids) known.add(jid)
      return onceEach(message, jids)
    },
    of: (message) => devices.get(message) ?? new Set(),
  }
}

/**
 * One copy for each device. In the own chat Baileys lists the account's devices twice, as sender's and as recipient's
 * (Socket/messages-send.js relayMessage), and WhatsApp refuses such a message with 400 (whatsapp-rust src/send/mod.rs).
 */
function onceEach(message: proto.IMessage, jids: readonly string[]): proto.IMessage {
  const unique = [...new Set(jids)]
  if (unique.length === jids.length) return message
  // Baileys reads it as a list, but does not type it so.
  return unique.map((recipientJid) => ({ recipientJid, message })) as unknown as proto.IMessage
}
