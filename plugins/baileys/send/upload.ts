import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { AnyMediaMessageContent, CacheStore, proto as Proto, WASocket } from '@whiskeysockets/baileys'
import type { Dispatcher } from 'undici'
import { failpoint, gatewayError, reasonOf } from 'wamux/plugin'
import {
  DEFAULT_ORIGIN,
  hkdfInfoKey,
  isJidNewsletter,
  MEDIA_PATH_MAP,
  prepareWAMessageMedia,
  proto,
} from '../baileys.ts'

/** Uploads the files of a link's messages, straight from memory: none of them, encrypted or not, is written to a disk. */
export interface Uploads {
  /** Uploads the file of a message. Rejects UPLOAD_FAILED, or like `query`. */
  prepare(chat: string, content: object, use?: 'thumbnail-link'): Promise<PreparedUpload>
  /** The part of a message with its uploaded file: `{ imageMessage: … }`. Rejects like `prepare`. */
  part(chat: string, content: AnyMediaMessageContent, use?: 'thumbnail-link'): Promise<Proto.IMessage>
  /** Uploads a picture that anybody may see, which is not encrypted. Rejects like `prepare`. */
  open(bytes: Buffer, kind: OpenKind): Promise<Place>
}

export type OpenKind = 'product-catalog-image' | 'biz-cover-photo'

/** Content whose file is uploaded, for Baileys. */
export interface PreparedUpload {
  readonly content: AnyMediaMessageContent
  /**
   * Holds the uploaded file in the form in which Baileys reuses one (Utils/messages.js prepareWAMessageMedia): with it Baileys
   * neither writes nor reads, measures or uploads a file.
   */
  readonly mediaCache: CacheStore
  /** The `media_id` of a newsletter post. */
  readonly handle?: string
}

/** Where the media host has a file, as it answers. */
export interface Place {
  readonly url?: string
  readonly direct_path?: string
  readonly handle?: string
  readonly fbid?: string | number
  readonly meta_hmac?: string
  readonly ts?: string | number
}

type Kind = 'image' | 'video' | 'audio' | 'document' | 'sticker'

const KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const satisfies readonly Kind[]
/** Plus the transfer time at one megabyte per second. */
const TIMEOUT_MS = 30_000
const MAX_ANSWER = 65_536
/** Bytes that are hashed and encrypted in one turn of the event loop. */
const CHUNK = 256 * 1024
const BLOCK = 16
const MAC_BYTES = 10

/** @param dispatcher of requests outside the link's socket, as the session reaches the network. */
export function createUploads(
  wa: Pick<WASocket, 'refreshMediaConn' | 'logger'>,
  dispatcher: () => Dispatcher | undefined,
): Uploads {
  /** Tries all hosts; the key to them may have expired. */
  async function send(path: string, file: Outgoing): Promise<Place> {
    const token = file.sha256.toString('base64url')
    const { hosts } = await wa.refreshMediaConn(false)
    let failure: unknown = new Error('the network names no media host')
    for (const [attempt, { hostname }] of hosts.entries()) {
      const { auth } = await wa.refreshMediaConn(attempt > 0)
      const query = new URLSearchParams({ auth, token })
      try {
        return await post(`https://${hostname}${path}/${token}?${query}`, file, dispatcher())
      } catch (error) {
        wa.logger.warn({ host: hostname, err: error }, 'upload failed')
        failure = error
      }
    }
    throw gatewayError('UPLOAD_FAILED', [reasonOf(failure)], { cause: failure })
  }

  async function upload(chat: string, kind: Kind, bytes: Buffer, use: Use): Promise<[object, Place]> {
    if (!isJidNewsletter(chat)) {
      const { fields, outgoing } = await seal(bytes, use)
      const place = await send(pathOf(use), outgoing)
      return [{ ...fields, url: place.url, directPath: place.direct_path }, place]
    }
    // Newsletter files are not encrypted and have their own upload path; the post names the handle that the media host assigned.
    const outgoing = plain(bytes, await digest(bytes))
    const place = await send(`/newsletter/newsletter-${kind === 'sticker' ? 'image' : kind}`, outgoing)
    if (!place.handle) throw gatewayError('UPLOAD_FAILED', ['the answer has no handle'])
    const sent = kind === 'sticker' ? { stickerSentTs: Date.now() } : {}
    const { url, direct_path: directPath } = place
    return [{ url, directPath, fileSha256: outgoing.sha256, fileLength: bytes.length, ...sent }, place]
  }

  const uploads: Uploads = {
    async prepare(chat, content, use) {
      const file = fileOf(content)
      if (!file) throw gatewayError('UPLOAD_FAILED', ['the content has no file'])
      const { kind, bytes } = file
      const [fields, { handle }] = await upload(chat, kind, bytes, use ?? kind)
      const stored = proto.Message.encode(proto.Message.fromObject({ [`${kind}Message`]: fields })).finish()
      const none = (): void => undefined
      return {
        content: { ...content, [kind]: { url: 'uploaded' } } as unknown as AnyMediaMessageContent,
        mediaCache: { get: () => stored as never, set: none, del: none, flushAll: none },
        ...(handle ? { handle } : {}),
      }
    },
    async part(chat, content, use) {
      const prepared = await uploads.prepare(chat, content, use)
      if (!prepared) throw gatewayError('UPLOAD_FAILED', ['the content has no file'])
      const { mediaCache } = prepared
      const message = await prepareWAMessageMedia(prepared.content, {
        upload: noUpload,
        mediaCache,
        jid: chat,
      })
      return onlyFields(message)
    },
    open: async (bytes, kind) => send(pathOf(kind), plain(bytes, await digest(bytes))),
  }
  return uploads
}

type Use = Kind | 'thumbnail-link'

/** Whether the content has a file that must be uploaded. */
export function hasFile(content: object): boolean {
  return fileOf(content) !== undefined
}

function fileOf(content: Partial<Record<Kind, unknown>>): { kind: Kind; bytes: Buffer } | undefined {
  for (const kind of KINDS) {
    const bytes = content[kind]
    if (Buffer.isBuffer(bytes)) return { kind, bytes }
  }
  return undefined
}

function pathOf(kind: Use | OpenKind): string {
  return MEDIA_PATH_MAP[kind] ?? ''
}

/** The given media were uploaded before. */
export async function noUpload(): Promise<never> {
  throw gatewayError('UPLOAD_FAILED', ['the file was not prepared'])
}

/** Baileys copies all properties of the content into a part from its cache, also those that no message has. */
export function onlyFields(message: Proto.IMessage): Proto.IMessage {
  return proto.Message.decode(proto.Message.encode(message).finish())
}

interface Outgoing {
  /** Of the bytes as uploaded. */
  readonly sha256: Buffer
  readonly length: number
  /** The bytes again for each host. */
  chunks(): AsyncIterable<Buffer>
}

function plain(bytes: Buffer, sha256: Buffer): Outgoing {
  return { sha256, length: bytes.length, chunks: () => slices(bytes) }
}

/**
 * Encrypts a file twice, first for its hash, which is in the address of the upload, then while it is sent: the ciphertext is at no
 * time in memory as a whole.
 */
async function seal(bytes: Buffer, use: Use): Promise<{ fields: object; outgoing: Outgoing }> {
  const mediaKey = randomBytes(32)
  const expanded = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(0), hkdfInfoKey(use), 112))
  const [iv, key, macKey] = [expanded.subarray(0, 16), expanded.subarray(16, 48), expanded.subarray(48, 80)]

  async function* ciphertext(): AsyncGenerator<Buffer> {
    const aes = createCipheriv('aes-256-cbc', key, iv)
    const hmac = createHmac('sha256', macKey).update(iv)
    for await (const slice of slices(bytes)) {
      const sealed = aes.update(slice)
      hmac.update(sealed)
      yield sealed
    }
    const last = aes.final()
    yield last
    yield hmac.update(last).digest().subarray(0, MAC_BYTES)
  }

  const sha256 = createHash('sha256')
  for await (const chunk of ciphertext()) sha256.update(chunk)
  const fileEncSha256 = sha256.digest()
  const length = bytes.length - (bytes.length % BLOCK) + BLOCK + MAC_BYTES
  const fields = {
    mediaKey,
    fileEncSha256,
    fileSha256: await digest(bytes),
    fileLength: bytes.length,
    mediaKeyTimestamp: Math.floor(Date.now() / 1_000),
  }
  return { fields, outgoing: { sha256: fileEncSha256, length, chunks: ciphertext } }
}

async function* slices(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK) {
    yield bytes.subarray(at, at + CHUNK)
    await setImmediate()
  }
}

async function digest(bytes: Buffer): Promise<Buffer> {
  const sha256 = createHash('sha256')
  for await (const slice of slices(bytes)) sha256.update(slice)
  return sha256.digest()
}

async function post(url: string, file: Outgoing, dispatcher: Dispatcher | undefined): Promise<Place> {
  // Loaded with the first file: undici has a hundred modules.
  const { request } = await import('undici')
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(file.length),
      origin: DEFAULT_ORIGIN,
    },
    body: Readable.from(watched(file.chunks())),
    signal: AbortSignal.timeout(TIMEOUT_MS + Math.ceil(file.length / 1_000)),
    ...(dispatcher ? { dispatcher } : {}),
  })
  const place = placeIn(await firstText(body))
  if (statusCode === 200 && place?.direct_path) return place
  throw new Error(`the media host answered ${statusCode}`)
}

async function* watched(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk
    failpoint('within:upload')
  }
}

async function firstText(body: Readable): Promise<string> {
  let text = ''
  for await (const chunk of body) {
    text += chunk
    if (text.length > MAX_ANSWER) break
  }
  return text
}

function placeIn(text: string): Place | undefined {
  try {
    return JSON.parse(text) as Place
  } catch {
    return undefined
  }
}
