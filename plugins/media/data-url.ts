import { gatewayError } from 'wamux/plugin'

export interface MediaFile {
  bytes: Buffer
  /** Detected from the content where possible, otherwise as declared. */
  mime: string
}

/** A file as received. */
export interface GivenFile extends MediaFile {
  /** Whether the type was detected from the content. */
  isDetected: boolean
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/**
 * Decodes a data URL (`data:<mime>[;param=…];base64,<data>`) or bare base64. No library is used: the available ones, and
 * fetch, block the process for seconds up to a minute with 30 MB.
 */
export function decodeMedia(field: string, text: string): { bytes: Buffer; declared: string } {
  const isUrl = text.startsWith('data:')
  const comma = isUrl ? text.indexOf(',') : -1
  const head = isUrl ? text.slice(5, Math.max(comma, 5)) : ''
  if (isUrl && (comma < 0 || !head.endsWith(';base64'))) {
    throw gatewayError('BASE64_INVALID', [`${field} must look like data:<mime-type>;base64,<data>`])
  }
  const data = text.slice(comma + 1).replace(/[\r\n]/g, '')
  const isWhole = data.length % 4 !== 1 && BASE64.test(data)
  const bytes = isWhole ? Buffer.from(data, 'base64') : Buffer.alloc(0)
  if (bytes.length === 0) throw gatewayError('BASE64_INVALID', [field])
  return { bytes, declared: head.replace(/;base64$/, '') }
}
