import { type DestinationStream, pino } from 'pino'
import type { Log } from './types/driver.ts'

export interface LogOptions {
  level: string
  /** Where lines go; standard output when absent. */
  stream?: DestinationStream
}

/** JSON lines. What may hold a secret or a message is cut out wherever it turns up. */
export function createLog({ level, stream }: LogOptions): Log {
  const names = [
    'token',
    'admintoken',
    'adminToken',
    'authorization',
    'cookie',
    'body',
    'Body',
    'text',
    'message',
    'creds',
    'secret',
  ]
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: names.flatMap((name) => [name, `*.${name}`, `err.${name}`]), censor: '[redacted]' },
    // An error's own words are ours; `message` above means a chat's.
    serializers: {
      err: (error: unknown) =>
        error instanceof Error
          ? {
              type: error.name,
              reason: error.message,
              stack: error.stack,
              cause: error.cause instanceof Error ? error.cause.stack : undefined,
            }
          : { reason: String(error) },
    },
  }
  return stream ? pino(options, stream) : pino(options)
}
