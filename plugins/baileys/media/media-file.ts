import { createDecipheriv, createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { gatewayError, isGatewayError, reasonOf } from 'wamux/plugin'
import type { SessionNetworks } from '../network/session-networks.ts'

export type FileKind = 'image' | 'video' | 'audio' | 'document' | 'sticker'

/** The address, key and hashes of a file, as a media message has them. */
export interface MediaFile {
  url?: string | null | undefined
  directPath?: string | null | undefined
  mediaKey?: Uint8Array | null | undefined
  fileSha256?: Uint8Array | null | undefined
  fileEncSha256?: Uint8Array | null | undefined
}

/** The network's media host, as the session reaches it; needs no link. */
export interface Files {
  /**
   * Fetches, checks and decrypts a file. Rejects FIELD_INVALID for an address outside the network's media hosts, for a
   * wrong key or hash and for more than `maxBytes`; ITEM_UNKNOWN if the host no longer has it; NETWORK_FAILED or
   * NETWORK_SILENT.
   */
  fetch(session: string, kind: FileKind, file: MediaFile, maxBytes: number): Promise<Buffer>
}

/** Plus the time that the file takes at a megabyte a second. */
const TIMEOUT_MS = 30_000
const DEFAULT_HOST = 'mmg.whatsapp.net'
const MAC_BYTES = 10
const INFO: Readonly<Record<FileKind, string>> = {
  image: 'Image',
  sticker: 'Image',
  video: 'Video',
  audio: 'Audio',
  document: 'Document',
}

/**
 * Not Baileys' download (Utils/messages-media.js), which connects to any host that the sender wrote into the message, also
 * by `@other.host/` in the path, has no limit of size or time, and checks neither MAC nor hashes.
 */
export function createFiles(networks: Pick<SessionNetworks, 'of'>): Files {
  return {
    async fetch(session, kind, file, maxBytes) {
      const { dispatcher, mediaHost } = await networks.of(session)
      const key = Buffer.from(file.mediaKey ?? [])
      // Files of newsletters are public: they have no key, and only their hash can be checked.
      const isPublic = key.length === 0 && file.fileSha256?.length === 32
      if (!isPublic && key.length !== 32)
        throw gatewayError('FIELD_INVALID', ['MediaKey', 'must have 32 bytes'])
      const sealed = await load(addressOf(file, mediaHost), dispatcher, maxBytes)
      if (!isPublic) return open(kind, key, sealed, file)
      assertHash('FileSHA256', sealed, file.fileSha256)
      return sealed
    },
  }
}

function addressOf({ url, directPath }: MediaFile, mediaHost: string | undefined): URL {
  const field = url ? 'Url' : 'DirectPath'
  const given = toUrl(url || `https://${DEFAULT_HOST}`, field)
  const address = directPath ? toUrl(directPath, 'DirectPath', given.origin) : given
  const isOwn = /(^|\.)whatsapp\.net$/.test(address.hostname) && address.port === ''
  if (address.protocol !== 'https:' || !(isOwn || address.host === mediaHost))
    throw gatewayError('FIELD_INVALID', [field, `${address.host} is no media host of the network`])
  if (address.pathname === '/') throw gatewayError('FIELD_MISSING', ['DirectPath'])
  return address
}

function toUrl(text: string, field: string, base?: string): URL {
  try {
    return new URL(text, base)
  } catch (cause) {
    throw gatewayError('FIELD_INVALID', [field, 'is no address'], { cause })
  }
}

async function load(url: URL, dispatcher: Dispatcher | undefined, maxBytes: number): Promise<Buffer> {
  // With padding and MAC.
  const maxSealed = maxBytes + 16 + MAC_BYTES
  // Loaded with the first file: it has a hundred modules.
  const { request } = await import('undici')
  try {
    const { statusCode, body } = await request(url, {
      ...(dispatcher ? { dispatcher } : {}),
      signal: AbortSignal.timeout(TIMEOUT_MS + Math.ceil(maxBytes / 1000)),
    })
    if (statusCode !== 200) {
      await body.dump({ limit: 4096 }).catch(() => undefined)
      if (statusCode === 404 || statusCode === 410) throw gatewayError('ITEM_UNKNOWN', ['File'])
      throw gatewayError('NETWORK_FAILED', ['download the file', `status ${statusCode}`])
    }
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of body) {
      size += (chunk as Buffer).length
      if (size > maxSealed)
        throw gatewayError('FIELD_INVALID', ['FileLength', `the file has more than ${maxBytes} bytes`])
      chunks.push(chunk as Buffer)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    if (isGatewayError(error)) throw error
    if ((error as Error).name === 'TimeoutError') throw gatewayError('NETWORK_SILENT', [], { cause: error })
    throw gatewayError('NETWORK_FAILED', ['download the file', reasonOf(error)], { cause: error })
  }
}

/** Verifies and decrypts: AES-256-CBC with ten bytes of HMAC behind it, under keys derived from the media key. */
function open(kind: FileKind, mediaKey: Buffer, sealed: Buffer, file: MediaFile): Buffer {
  const keys = Buffer.from(hkdfSync('sha256', mediaKey, '', `WhatsApp ${INFO[kind]} Keys`, 112))
  const iv = keys.subarray(0, 16)
  const body = sealed.subarray(0, -MAC_BYTES)
  const mac = createHmac('sha256', keys.subarray(48, 80)).update(iv).update(body).digest()
  const given = sealed.subarray(-MAC_BYTES)
  assertHash('FileEncSHA256', sealed, file.fileEncSha256)
  if (given.length < MAC_BYTES || !timingSafeEqual(mac.subarray(0, MAC_BYTES), given))
    throw gatewayError('FIELD_INVALID', ['MediaKey', 'does not fit the file: its MAC is another'])
  const decipher = createDecipheriv('aes-256-cbc', keys.subarray(16, 48), iv)
  const plain = Buffer.concat([decipher.update(body), decipher.final()])
  assertHash('FileSHA256', plain, file.fileSha256)
  return plain
}

function assertHash(field: string, bytes: Buffer, hash: Uint8Array | null | undefined): void {
  if (!hash?.length || createHash('sha256').update(bytes).digest().equals(hash)) return
  throw gatewayError('FIELD_INVALID', [field, 'is not the hash of the file'])
}
