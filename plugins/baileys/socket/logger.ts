import type { BaileysEventMap, SocketConfig, WASocket } from '@whiskeysockets/baileys'
import type { Log } from 'wamux/plugin'

type Logger = SocketConfig['logger']

/** Baileys' logger interface, whose methods have fewer overloads than pino's. */
export function loggerOf(log: Log): Logger {
  return {
    level: log.level,
    child: (bindings) => loggerOf(log.child(bindings)),
    trace: (data, text) => log.trace(data, text),
    debug: (data, text) => log.debug(data, text),
    info: (data, text) => log.info(data, text),
    warn: (data, text) => log.warn(data, text),
    error: (data, text) => log.error(data, text),
  }
}

/**
 * Listens to a Baileys event and logs errors of the listener: they would become unhandled rejections inside Baileys and
 * lose the rest of the batch (Socket/messages-recv.js processNodeWithBuffer).
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
