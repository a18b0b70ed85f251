import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import type { GatewayServices } from 'wamux/plugin'

type Wire = GatewayServices['wire']
export type MediaKind =
  | 'image'
  | 'video'
  | 'audio'
  | 'document'
  | 'sticker'
  | 'history'
  | 'group-history'
  | 'app-state'
  | 'link'

/** Name in the key derivation, and upload folder, of each media type. */
const KINDS: Readonly<Record<MediaKind, { info: string; folder: string }>> = {
  image: { info: 'WhatsApp Image Keys', folder: 'image' },
  sticker: { info: 'WhatsApp Image Keys', folder: 'image' },
  video: { info: 'WhatsApp Video Keys', folder: 'video' },
  audio: { info: 'WhatsApp Audio Keys', folder: 'audio' },
  document: { info: 'WhatsApp Document Keys', folder: 'document' },
  link: { info: 'WhatsApp Link Thumbnail Keys', folder: 'image' },
  // zapo src/protocol/media.ts
  'group-history': { info: 'Group History', folder: 'group-history' },
  history: { info: 'WhatsApp History Keys', folder: 'md-msg-hist' },
  'app-state': { info: 'WhatsApp App State Keys', folder: 'md-app-state' },
}

export interface Sealed {
  folder: string
  data: Buffer
  /** The fields for the media message that refers to it. */
  fields: { mediaKey: Buffer; fileSha256: Buffer; fileEncSha256: Buffer; fileLength: number }
}

/** Encrypts a file with AES-256-CBC, followed by ten bytes of HMAC; keys by HKDF from the media key. */
export function sealMedia(wire: Wire, kind: MediaKind, plain: Buffer, mediaKey = randomBytes(32)): Sealed {
  const { iv, cipherKey, macKey } = derive(wire, kind, mediaKey)
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv)
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  const mac = createHmac('sha256', macKey).update(iv).update(body).digest().subarray(0, 10)
  const data = Buffer.concat([body, mac])
  const fields = {
    mediaKey,
    fileSha256: sha256(plain),
    fileEncSha256: sha256(data),
    fileLength: plain.length,
  }
  return { folder: folderOf(kind), data, fields }
}

export function folderOf(kind: MediaKind): string {
  return KINDS[kind].folder
}

export interface MediaFields {
  mediaKey?: Uint8Array | null
  fileSha256?: Uint8Array | null
  fileEncSha256?: Uint8Array | null
}

/** Decrypts a file. Unlike stock clients, it verifies the MAC and both hashes. */
export function openMedia(wire: Wire, kind: MediaKind, data: Buffer, fields: MediaFields): Buffer {
  const { iv, cipherKey, macKey } = derive(wire, kind, Buffer.from(fields.mediaKey ?? []))
  const body = data.subarray(0, -10)
  const mac = createHmac('sha256', macKey).update(iv).update(body).digest().subarray(0, 10)
  if (!timingSafeEqual(mac, data.subarray(-10))) throw new Error('media: wrong MAC')
  if (!sha256(data).equals(Buffer.from(fields.fileEncSha256 ?? [])))
    throw new Error('media: wrong ciphertext hash')
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
  const plain = Buffer.concat([decipher.update(body), decipher.final()])
  if (!sha256(plain).equals(Buffer.from(fields.fileSha256 ?? []))) throw new Error('media: wrong file hash')
  return plain
}

function derive(
  wire: Wire,
  kind: MediaKind,
  mediaKey: Buffer,
): { iv: Buffer; cipherKey: Buffer; macKey: Buffer } {
  const keys = Buffer.from(wire.hkdf(mediaKey, 112, { info: KINDS[kind].info }))
  return { iv: keys.subarray(0, 16), cipherKey: keys.subarray(16, 48), macKey: keys.subarray(48, 80) }
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}
