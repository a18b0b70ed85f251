import { createDecipheriv, createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { gatewayError, isGatewayError, reasonOf } from 'wamux/plugin'
import type { SessionNetworks } from '../network/session-networks.ts'

export type FileKind = 'image' | 'video' | 'audio' | 'document' | 'sticker' | 'group-history'

/** The address, key and hashes of a file, as in a media message. */
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
   * Fetches, checks and decrypts a file. Rejects FIELD_INVALID for an address outside the network's media hosts, a wrong
   * key or hash, or more than `maxBytes`; ITEM_UNKNOWN if the host no longer has it; NETWORK_FAILED or NETWORK_SILENT.
   */
  fetch(session: string, kind: FileKind, file: MediaFile, maxBytes: number): Promise<Buffer>
  /**
   * As a stream, for files that should not be in memory as a whole. Rejects until the host has answered; later errors, for
   * example a wrong hash, end the stream, and the data read so far is then invalid.
   */
  stream(session: string, kind: FileKind, file: MediaFile, maxBytes: number): Promise<Readable>
}

/** Plus the transfer time at one megabyte per second. */
const TIMEOUT_MS = 30_000
const DEFAULT_HOST = 'mmg.whatsapp.net'
const MAC_BYTES = 10
const INFO: Readonly<Record<FileKind, string>> = {
  image: 'WhatsApp Image Keys',
  sticker: 'WhatsApp Image Keys',
  video: 'WhatsApp Video Keys',
  audio: 'WhatsApp Audio Keys',
  document: 'WhatsApp Document Keys',
  // zapo src/protocol/media.ts
  'group-history': 'Group History',
}

/**
 * Replaces Baileys' download (Utils/messages-media.js), which connects to any host that the sender put into the message,
 * even by `@other.host/` in the path, has no limit of size or time, and checks neither MAC nor hashes.
 */
export function createFiles(networks: Pick<SessionNetworks, 'of'>): Files {
  async function open(...[session, kind, file, maxBytes]: Parameters<Files['stream']>) {
    const { dispatcher, mediaHost } = await networks.of(session)
    const key = Buffer.from(file.mediaKey ?? [])
    // Newsletter files are public: they have no key, and only their hash can be checked.
    const isPublic = key.length === 0 && file.fileSha256?.length === 32
    if (!isPublic && key.length !== 32)
      throw gatewayError('FIELD_INVALID', ['MediaKey', 'must have 32 bytes'])
    const body = await load(addressOf(file, mediaHost), dispatcher, maxBytes)
    const sealed = received(body, maxBytes)
    return { body, chunks: isPublic ? verified(sealed, file) : opened(kind, key, sealed, file) }
  }
  return {
    async fetch(...file) {
      const chunks: Buffer[] = []
      for await (const chunk of (await open(...file)).chunks) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
    async stream(...file) {
      const { body, chunks } = await open(...file)
      const stream = Readable.from(chunks, { objectMode: false })
      // A stream that is abandoned before it was read also ends the download.
      body.on('error', () => undefined)
      stream.once('close', () => body.destroy())
      return stream
    },
  }
}

type Chunks = AsyncGenerator<Buffer, void>

function addressOf({ url, directPath }: MediaFile, mediaHost: string | undefined): URL {
  const field = url ? 'Url' : 'DirectPath'
  const given = toUrl(url || `https://${DEFAULT_HOST}`, field)
  const address = directPath ? toUrl(directPath, 'DirectPath', given.origin) : given
  const isOwn = /(^|\.)whatsapp\.net$/.test(address.hostname) && address.port === ''
  if (address.protocol !== 'https:' || !(isOwn || address.host === mediaHost))
    throw gatewayError('FIELD_INVALID', [field, `${address.host} is not a media host of the network`])
  if (address.pathname === '/') throw gatewayError('FIELD_MISSING', ['DirectPath'])
  return address
}

function toUrl(text: string, field: string, base?: string): URL {
  try {
    return new URL(text, base)
  } catch (cause) {
    throw gatewayError('FIELD_INVALID', [field, 'is not a valid address'], { cause })
  }
}

/** Resolves when the host has confirmed that it has the file. */
async function load(url: URL, dispatcher: Dispatcher | undefined, maxBytes: number): Promise<Readable> {
  // Loaded with the first file: undici has a hundred modules.
  const { request } = await import('undici')
  try {
    const { statusCode, body } = await request(url, {
      ...(dispatcher ? { dispatcher } : {}),
      signal: AbortSignal.timeout(TIMEOUT_MS + Math.ceil(maxBytes / 1000)),
    })
    if (statusCode === 200) return body
    await body.dump({ limit: 4096 }).catch(() => undefined)
    if (statusCode === 404 || statusCode === 410) throw gatewayError('ITEM_UNKNOWN', ['File'])
    throw gatewayError('NETWORK_FAILED', ['download the file', `status ${statusCode}`])
  } catch (error) {
    throw networkError(error)
  }
}

async function* received(body: AsyncIterable<Buffer>, maxBytes: number): Chunks {
  // Including padding and MAC.
  const maxSealed = maxBytes + 16 + MAC_BYTES
  let size = 0
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > maxSealed)
        throw gatewayError('FIELD_INVALID', ['FileLength', `the file has more than ${maxBytes} bytes`])
      yield chunk
    }
  } catch (error) {
    throw networkError(error)
  }
}

function networkError(error: unknown): Error {
  if (isGatewayError(error)) return error
  if ((error as Error).name === 'TimeoutError') return gatewayError('NETWORK_SILENT', [], { cause: error })
  return gatewayError('NETWORK_FAILED', ['download the file', reasonOf(error)], { cause: error })
}

async function* verified(chunks: Chunks, file: MediaFile): Chunks {
  const hash = createHash('sha256')
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
  assertHash('FileSHA256', hash.digest(), file.fileSha256)
}

/** Verifies and decrypts: AES-256-CBC followed by ten bytes of HMAC, with keys derived from the media key. */
async function* opened(kind: FileKind, mediaKey: Buffer, sealed: Chunks, file: MediaFile): Chunks {
  const keys = Buffer.from(hkdfSync('sha256', mediaKey, '', INFO[kind], 112))
  const iv = keys.subarray(0, 16)
  const mac = createHmac('sha256', keys.subarray(48, 80)).update(iv)
  const decipher = createDecipheriv('aes-256-cbc', keys.subarray(16, 48), iv)
  const [sealedHash, hash] = [createHash('sha256'), createHash('sha256')]
  let tail: Buffer = Buffer.alloc(0)
  for await (const chunk of sealed) {
    sealedHash.update(chunk)
    const known = Buffer.concat([tail, chunk])
    const body = known.subarray(0, Math.max(0, known.length - MAC_BYTES))
    tail = known.subarray(body.length)
    mac.update(body)
    const plain = decipher.update(body)
    hash.update(plain)
    yield plain
  }
  assertHash('FileEncSHA256', sealedHash.digest(), file.fileEncSha256)
  if (tail.length < MAC_BYTES || !timingSafeEqual(mac.digest().subarray(0, MAC_BYTES), tail))
    throw gatewayError('FIELD_INVALID', ['MediaKey', 'does not fit the file: the MAC differs'])
  const last = decipher.final()
  assertHash('FileSHA256', hash.update(last).digest(), file.fileSha256)
  yield last
}

function assertHash(field: string, actual: Buffer, hash: Uint8Array | null | undefined): void {
  if (!hash?.length || actual.equals(hash)) return
  throw gatewayError('FIELD_INVALID', [field, 'is not the hash of the file'])
}
