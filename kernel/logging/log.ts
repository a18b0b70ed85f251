import { createHmac, randomBytes } from 'node:crypto'
import { type DestinationStream, type LoggerOptions, pino } from 'pino'
import type { Log } from '../types/driver.ts'
import { createRedaction } from './redact.ts'
import { type LogFormat, standardOutput } from './standard-output.ts'

export interface LogOptions {
  level: string
  /** Receives the lines; standard output when absent. */
  stream?: DestinationStream
  /** Format of standard output; `json` when absent. */
  format?: LogFormat
  /** HMAC for people's pseudonyms; without it they are valid for this process only. */
  mac?: (text: string) => string
}

/** Logs lines, as JSON unless `format` says otherwise. Redacts fields that may hold a secret at any depth, and replaces people's numbers by pseudonyms. */
export function createLog({ level, stream, format = 'json', mac = ownMac() }: LogOptions): Log {
  const { text, value } = createRedaction((user) => markOf(mac, user))
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    // pino's own `redact` works at fixed depths only, and costs five times as much.
    formatters: { log: (line) => value(line) as Record<string, unknown> },
    hooks: {
      logMethod([first, ...rest]: unknown[], method) {
        // Without its own message, a line would get the error's message unredacted.
        const error = first instanceof Error ? first : (first as { err?: unknown } | undefined)?.err
        const words = rest.length === 0 && error instanceof Error ? [error.message] : rest
        const line = first instanceof Error ? { err: first } : typeof first === 'string' ? text(first) : first
        method.apply(this, [line, ...words.map(value)] as Parameters<typeof method>)
      },
    },
  }
  return pino(options, stream ?? standardOutput(format))
}

/** The pseudonym of a person in the log: `#` and eight hex digits, made from the person's number. */
export function markOf(mac: (text: string) => string, user: string): string {
  // Tokens have no spaces, so no pseudonym equals the index of a token.
  return `#${mac(`log ${user}`).slice(0, 8)}`
}

function ownMac(): (text: string) => string {
  const key = randomBytes(32)
  return (text) => createHmac('sha256', key).update(text).digest('hex')
}
