import type { MessageRelayOptions } from '@whiskeysockets/baileys'
import { proto } from '../baileys.ts'

/** A message ready for encryption. */
export interface Built {
  id: string
  chat: string
  message: proto.IMessage
  relay: MessageRelayOptions
}

/** The message as it is stored and encrypted. */
export function encode({ message }: Built): Uint8Array {
  return proto.Message.encode(message).finish()
}
