import { createHmac, randomBytes } from 'node:crypto'
import { type DestinationStream, type LoggerOptions, pino } from 'pino'
import type { Log } from '../types/driver.ts'
import { createRedaction } from './redact.ts'

export interface LogOptions {
  level: string
  /** Where lines go; standard output when absent. */
  stream?: DestinationStream
  /** HMAC that makes the marks of people; absent, they hold for this process only. */
  mac?: (text: string) => string
}

/** JSON lines. What may hold a secret is cut out wherever it turns up, and people are marked. */
export function createLog({ level, stream, mac = ownMac() }: LogOptions): Log {
  const { text, value } = createRedaction((user) => markOf(mac, user))
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    // pino's own `redact` knows fixed depths only, and costs five times as much.
    formatters: { log: (line) => value(line) as Record<string, unknown> },
    hooks: {
      logMethod([first, ...rest]: unknown[], method) {
        // Where nothing is said, pino says the error's message as it is.
        const error = first instanceof Error ? first : (first as { err?: unknown } | undefined)?.err
        const said = rest.length === 0 && error instanceof Error ? [error.message] : rest
        const line = first instanceof Error ? { err: first } : typeof first === 'string' ? text(first) : first
        method.apply(this, [line, ...said.map(value)] as Parameters<typeof method>)
      },
    },
  }
  return stream ? pino(options, stream) : pino(options)
}

/** What stands for somebody in the log: `#` and eight hex digits, from the number that somebody has. */
export function markOf(mac: (text: string) => string, user: string): string {
  // Tokens have no spaces, so nobody's mark is the index of a token.
  return `#${mac(`log ${user}`).slice(0, 8)}`
}

function ownMac(): (text: string) => string {
  const key = randomBytes(32)
  return (text) => createHmac('sha256', key).update(text).digest('hex')
}
