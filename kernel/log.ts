import { type DestinationStream, pino } from 'pino'
import type { Log } from './types/driver.ts'

export interface LogOptions {
  level: string
  /** Where lines go; standard output when absent. */
  stream?: DestinationStream
}

/** Names, in any case, of what holds a secret, a message or a file. */
const SECRET = new Set([
  ...['token', 'admintoken', 'authorization', 'cookie', 'secret', 'creds', 'qrcode', 'linkingcode'],
  ...['body', 'text', 'message', 'caption', 'conversation', 'plain', 'xml'],
  ...['image', 'audio', 'video', 'document', 'sticker', 'media'],
])

/** JSON lines. What may hold a secret or a message is cut out wherever it turns up. */
export function createLog({ level, stream }: LogOptions): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    // pino's own `redact` knows fixed depths only, and costs five times as much.
    formatters: { log: (line: Record<string, unknown>) => redacted(line) as Record<string, unknown> },
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

/** Objects in one another that are looked into; deeper ones, and those that hold themselves, are not shown. */
const DEPTH_MOST = 6

function redacted(value: unknown, depth = 0): unknown {
  // An error is its serializer's matter.
  if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof Date)
    return value
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (depth > DEPTH_MOST) return '[deeper]'
  if (Array.isArray(value)) return value.map((one) => redacted(one, depth + 1))
  const copy: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value))
    copy[name] = SECRET.has(name.toLowerCase()) ? '[redacted]' : redacted(inner, depth + 1)
  return copy
}
