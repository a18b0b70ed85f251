import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Receive, Stage } from './stage.ts'

export interface PairingStanzas {
  /** `pair-device`: the refs of the QR codes. */
  onPairDevice(stanza: BinaryNode): void
  /** `pair-success`: the account's signature of this companion. */
  onPairSuccess(stanza: BinaryNode): void
}

/**
 * Keeps the two queries of linking from Baileys. Its handlers end the connection as soon as no QR code is left, although a
 * pairing code or a passkey may still be in use, and close it without an answer if the account's signature is wrong
 * (Socket/socket.js, rc14).
 */
export function interceptPairing({ onPairDevice, onPairSuccess }: PairingStanzas): Stage<Receive> {
  const handlers: Readonly<Record<string, (stanza: BinaryNode) => void>> = {
    'CB:iq,type:set,pair-device': onPairDevice,
    'CB:iq,,pair-success': onPairSuccess,
  }
  return (next) =>
    (event, ...args) => {
      const handle = handlers[event]
      if (!handle) return next(event, ...args)
      handle(args[0] as BinaryNode)
      return true
    }
}
