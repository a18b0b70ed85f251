import type { IncomingMessage } from 'node:http'
import getRawBody from 'raw-body'
import { gatewayError } from '../errors.ts'
import { parseForm } from './form.ts'

const MB = 1024 * 1024
/** Default limit of one body, in bytes. */
export const BODY_LIMIT = 64 * MB
/** Removes a byte order mark, and decodes invalid UTF-8 as U+FFFD. */
const utf8 = new TextDecoder()
/** Bodies up to this size do not count against the budget. */
const SMALL = MB
/** Maximum nesting of objects and lists. */
const MAX_DEPTH = 20
/** Fields and items at all levels; the longest lists of numbers in practice have some thousands. */
const MAX_VALUES = 50_000
/** Characters outside strings: numbers, punctuation, white space. */
const MAX_PLAIN = 8 * 1024 * 1024

export interface BodyLimits {
  /** Bytes of one body; 64 MB when absent. */
  readonly each?: number | undefined
  /** Total bytes of all large bodies being read or processed; 256 MB when absent. */
  readonly together?: number
}

/** Reads the bodies of requests into memory. Each method rejects BODY_TOO_LARGE, BODY_UNREADABLE and BUSY. */
export interface BodyReader {
  /** The parsed body; `{}` for none. */
  json(request: IncomingMessage): Promise<unknown>
  bytes(request: IncomingMessage, limit: number): Promise<Buffer>
  form(request: IncomingMessage, limit: number): Promise<FormData>
  /** Returns the bytes of the request to the budget. Call it once the request is answered or refused. */
  release(request: IncomingMessage): void
}

export function createBodyReader({ each = BODY_LIMIT, together = 256 * MB }: BodyLimits): BodyReader {
  const reserved = new Map<IncomingMessage, number>()
  let sum = 0
  function release(request: IncomingMessage): void {
    sum -= reserved.get(request) ?? 0
    reserved.delete(request)
  }
  async function bytes(request: IncomingMessage, limit: number): Promise<Buffer> {
    const declared = Number(request.headers['content-length'] ?? Number.NaN)
    if (declared > limit) throw gatewayError('BODY_TOO_LARGE', [limit])
    // A chunked body may reach the limit of one body.
    const weight = Number.isNaN(declared) ? (request.headers['transfer-encoding'] ? limit : 0) : declared
    const counted = weight > SMALL ? weight : 0
    release(request)
    // A single body is bounded by its own limit, which may exceed the budget.
    if (sum > 0 && sum + counted > together) throw gatewayError('BUSY')
    sum += counted
    reserved.set(request, counted)
    return readBytes(request, limit)
  }
  return {
    json: async (request) => parse(utf8.decode(await bytes(request, each))),
    bytes,
    form: async (request, limit) => parseForm(await bytes(request, limit), request.headers['content-type']),
    release,
  }
}

function parse(text: string): unknown {
  assertBounded(text)
  if (text.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw gatewayError('BODY_UNREADABLE', ['the body is not valid JSON'], { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw gatewayError('BODY_UNREADABLE', ['the body must be a JSON object'])
  }
  return value
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
/** `[` and `]` differ from `{` and `}` only in this bit. */
const CURLY = 0x20
const OPEN = 0x7b
const CLOSE = 0x7d

/**
 * Checked before parsing: some megabytes of brackets or short keys would become gigabytes of objects. Every value
 * comes after a comma or an opening bracket, so their number bounds the number of values.
 */
function assertBounded(text: string): void {
  let depth = 0
  let values = 0
  let plain = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    plain += 1
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === COMMA) values += 1
    else if ((code | CURLY) === OPEN) {
      depth += 1
      values += 1
    } else if ((code | CURLY) === CLOSE) depth -= 1
    if (depth > MAX_DEPTH)
      throw gatewayError('BODY_UNREADABLE', [`the body is nested deeper than ${MAX_DEPTH} levels`])
    if (values > MAX_VALUES)
      throw gatewayError('BODY_UNREADABLE', [`the body holds more than ${MAX_VALUES} fields and items`])
    if (plain > MAX_PLAIN)
      throw gatewayError('BODY_UNREADABLE', [
        `the body holds more than ${MAX_PLAIN} characters outside of text`,
      ])
  }
}

/** Index of the closing quote of the string that begins at `from`; fast for files of many megabytes. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return end
  }
  return text.length
}

/** The body of a request, of at most `limit` bytes. Rejects BODY_TOO_LARGE, BODY_UNREADABLE. */
async function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  try {
    const length = request.headers['content-length']
    return await getRawBody(request, { limit, ...(length ? { length } : {}) })
  } catch (cause) {
    if ((cause as { type?: string }).type === 'entity.too.large')
      throw gatewayError('BODY_TOO_LARGE', [limit], { cause })
    throw gatewayError('BODY_UNREADABLE', ['the body did not arrive whole'], { cause })
  }
}
