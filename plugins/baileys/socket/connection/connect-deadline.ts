import type { WASocket } from '@whiskeysockets/baileys'

/** As Baileys' own limit (Defaults/index.js, connectTimeoutMs). */
const CONNECT_MS = 20_000

/**
 * Ends a socket that receives no frame in time. It replaces Baileys' `connectTimeoutMs`, which is set to 0: with it, Baileys
 * starts a timer and makes three stacks and a rejected promise for every frame that it sends (Utils/generics.js
 * promiseTimeout, called by Socket/socket.js sendRawMessage).
 */
export function limitConnecting(wa: Pick<WASocket, 'ws' | 'end'>, ms = CONNECT_MS): void {
  const timer = setTimeout(() => {
    wa.end(new Error(`WhatsApp did not answer within ${ms / 1000} s`))
  }, ms)
  for (const event of ['frame', 'close', 'error']) wa.ws.once(event, () => clearTimeout(timer))
}
