import type { BaileysEventMap, WASocket } from '@whiskeysockets/baileys'
import type { Log } from 'wamux/plugin'

/**
 * Listens to Baileys, and logs what the listener throws: it would become an unhandled rejection inside Baileys and lose
 * the rest of the batch (Socket/messages-recv.js processNodeWithBuffer).
 */
export function listen<E extends keyof BaileysEventMap>(
  wa: WASocket,
  log: Log,
  name: E,
  listener: (data: BaileysEventMap[E]) => void,
): void {
  wa.ev.on(name, (data) => {
    try {
      listener(data)
    } catch (error) {
      log.error({ err: error }, `listener of ${name} failed`)
    }
  })
}
