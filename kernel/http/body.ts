import type { IncomingMessage } from 'node:http'
import getRawBody from 'raw-body'
import { gatewayError } from '../errors.ts'

/** A body this small needs no place in the budget. */
const SMALL = 1024 * 1024
/** Levels of objects and lists in one another. */
const DEPTH_MOST = 20

export interface BodyLimits {
  /** Bytes of one body. */
  readonly each: number
  /** Bytes of all large bodies that are being read or worked on at once. */
  readonly together: number
}

export interface JsonReader {
  /**
   * The parsed body; `{}` for none. Rejects BODY_UNREADABLE, BODY_TOO_LARGE, BUSY.
   * `release` gives its place in the budget back.
   */
  read(request: IncomingMessage): Promise<{ value: unknown; release(): void }>
}

export function createJsonReader(limits: BodyLimits): JsonReader {
  let held = 0
  return {
    async read(request) {
      const declared = Number(request.headers['content-length'] ?? Number.NaN)
      if (declared > limits.each) throw gatewayError('BODY_TOO_LARGE')
      // A chunked body may turn out as large as allowed.
      const weight = Number.isNaN(declared)
        ? request.headers['transfer-encoding']
          ? limits.each
          : 0
        : declared
      const counted = weight > SMALL ? weight : 0
      if (held + counted > limits.together) throw gatewayError('BUSY')
      held += counted
      let released = false
      const release = (): void => {
        if (!released) held -= counted
        released = true
      }
      try {
        return { value: parse(await readText(request, limits.each)), release }
      } catch (error) {
        release()
        throw error
      }
    },
  }
}

async function readText(request: IncomingMessage, limit: number): Promise<string> {
  try {
    const length = request.headers['content-length']
    return await getRawBody(request, { limit, encoding: 'utf8', ...(length ? { length } : {}) })
  } catch (cause) {
    const type = (cause as { type?: string }).type
    if (type === 'entity.too.large') throw gatewayError('BODY_TOO_LARGE', [], { cause })
    throw gatewayError('BODY_UNREADABLE', ['the body did not arrive whole'], { cause })
  }
}

function parse(text: string): unknown {
  if (text.trim() === '') return {}
  if (isDeeper(text, DEPTH_MOST))
    throw gatewayError('BODY_UNREADABLE', [`the body is nested deeper than ${DEPTH_MOST} levels`])
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

/** Before it is parsed: a few megabytes of brackets would become gigabytes of lists. */
function isDeeper(text: string, most: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]
    if (sign === '"') at = endOfString(text, at)
    else if (sign === '{' || sign === '[') depth += 1
    else if (sign === '}' || sign === ']') depth -= 1
    if (depth > most) return true
  }
  return false
}

/** Index of the quote that ends the string which begins at `from`; a file of many megabytes is one step. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text[end - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return end
  }
  return text.length
}
