import type { SocketConfig } from '@whiskeysockets/baileys'
import type { Log } from 'wamux/plugin'

type Logger = SocketConfig['logger']

/** Baileys' logger interface, whose methods have fewer overloads than those of pino. */
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
