import { setImmediate } from 'node:timers/promises'
import { gatewayError } from 'wamux/plugin'

export interface DecodedFile {
  bytes: Buffer
  /** Detected from the content where possible, otherwise as declared. */
  mime: string
}

/** A file as received. */
export interface GivenFile extends DecodedFile {
  /** Whether the type was detected from the content. */
  isDetected: boolean
}

const LETTERS = /^[A-Za-z0-9+/_-]*$/
const LAST_LETTERS = /^[A-Za-z0-9+/_-]*={0,2}$/
/** Characters that are decoded in one turn of the event loop, in about a millisecond. */
const SLICE = 1024 * 1024

/**
 * Decodes a data URL (`data:<mime>[;param=…];base64,<data>`) or bare base64. No library is used: the available ones, and
 * fetch, block the process for seconds up to a minute with 30 MB.
 */
export async function decodeMedia(field: string, text: string): Promise<{ bytes: Buffer; declared: string }> {
  const isUrl = text.startsWith('data:')
  const comma = isUrl ? text.indexOf(',') : -1
  const head = isUrl ? text.slice(5, Math.max(comma, 5)) : ''
  if (isUrl && (comma < 0 || !head.endsWith(';base64'))) {
    throw gatewayError('BASE64_INVALID', [`${field} must look like data:<mime-type>;base64,<data>`])
  }
  const bytes = await decode(text, comma + 1)
  if (!bytes?.length) throw gatewayError('BASE64_INVALID', [field])
  return { bytes, declared: head.replace(/;base64$/, '') }
}

/** undefined if it is not base64, in which lines may be broken. */
async function decode(text: string, begin: number): Promise<Buffer | undefined> {
  const bytes = Buffer.allocUnsafe(Math.ceil(((text.length - begin) * 3) / 4))
  let length = 0
  let rest = ''
  for (let at = begin; at < text.length; at += SLICE) {
    const slice = rest + text.slice(at, at + SLICE).replace(/[\r\n]/g, '')
    const isLast = at + SLICE >= text.length
    // Four characters are three bytes.
    const end = isLast ? slice.length : slice.length - (slice.length % 4)
    rest = slice.slice(end)
    const isWhole = end % 4 !== 1 && (isLast ? LAST_LETTERS : LETTERS).test(slice.slice(0, end))
    if (!isWhole) return undefined
    length += bytes.write(slice.slice(0, end), length, 'base64')
    if (!isLast) await setImmediate()
  }
  return bytes.subarray(0, length)
}
