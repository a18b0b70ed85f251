import type { WASocket } from '@whiskeysockets/baileys'

/** Same as Baileys' own limit (Defaults/index.js, connectTimeoutMs). */
const CONNECT_MS = 20_000

/**
 * Ends a socket that receives no frame in time. Replaces Baileys' `connectTimeoutMs`, which is set to 0: otherwise Baileys
 * starts a timer and creates three stack traces and a rejected promise for every frame that it sends (Utils/generics.js
 * promiseTimeout, called by Socket/socket.js sendRawMessage).
 */
export function limitConnecting(wa: Pick<WASocket, 'ws' | 'end'>, ms = CONNECT_MS): void {
  const timer = setTimeout(() => {
    wa.end(new Error(`WhatsApp did not answer within ${ms / 1000} s`))
  }, ms)
  for (const event of ['frame', 'close', 'error']) wa.ws.once(event, () => clearTimeout(timer))
}
