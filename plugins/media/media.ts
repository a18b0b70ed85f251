import { type GatewayServices, gatewayError, reasonOf } from 'wamux/plugin'
import { type DecodedFile, decodeMedia, type GivenFile } from './data-url.ts'
import type { Processes } from './process/processes.ts'
import type { Probe } from './worker/ffmpeg.ts'
import type { DocumentPreview } from './worker/pdf.ts'
import type { Picture } from './worker/picture.ts'
import type { Sound } from './worker/sound.ts'
import type { StickerPack } from './worker/sticker-pack.ts'
import type { WorkConfig } from './worker/work.ts'

export interface Media {
  /** The files of one session's requests: those of all sessions are converted in turn. */
  of(session: string): SessionMedia
}

/**
 * Files of requests: data URL, base64 or http(s) link. All reject with an error that names the field; those that look into the file
 * also MEDIA_BUSY and MEDIA_FAILED.
 */
export interface SessionMedia {
  /** Any file. Throws BASE64_INVALID, FIELD_INVALID, MEDIA_UNREACHABLE. */
  file(field: string, text: string): Promise<DecodedFile>
  /**
   * A picture with its size and a JPEG thumbnail. Apps show JPEG and PNG; others are converted, animated ones to their first
   * frame. Throws MEDIA_UNSUPPORTED for any other file.
   */
  image(field: string, text: string): Promise<DecodedFile & Picture>
  /**
   * A picture of an account, group or newsletter, as phones upload it: an upright square of 640 pixels cut from the centre,
   * as JPEG. A smaller picture is enlarged unless `isEnlarged` is false. Throws MEDIA_UNSUPPORTED.
   */
  photo(field: string, text: string, options?: { isEnlarged?: boolean }): Promise<Buffer>
  /** A WebP sticker, converted from a picture or video where necessary; of a pack, if one is given. */
  sticker(field: string, text: string, pack?: StickerPack): Promise<DecodedFile & { isAnimated: boolean }>
  /** A file whose content must be `audio` or `video`. Throws MEDIA_UNSUPPORTED. */
  kind(field: string, text: string, kind: 'audio' | 'video'): Promise<DecodedFile>
  /**
   * Audio: as voice message (Ogg with Opus, converted where necessary), unchanged (`file`), or as a voice message if
   * it can be converted here (`best`).
   */
  audio(
    field: string,
    text: string,
    form: 'voice' | 'file' | 'best',
  ): Promise<DecodedFile & Sound & { isVoice: boolean }>
  /** Any file, with what apps show of a PDF if it can be determined here. */
  document(field: string, text: string): Promise<DecodedFile & Partial<DocumentPreview>>
  /** A video, with its size, length and a JPEG thumbnail where these can be determined. */
  video(field: string, text: string): Promise<DecodedFile & Probe & { thumbnail?: Buffer }>
  /**
   * A thumbnail given by the client, converted to the required format. Throws FIELD_INVALID for one over 256 KiB.
   */
  thumbnail(field: string, text: string, format?: 'jpeg' | 'png'): Promise<Buffer>
  /** In the form in which WhatsApp sends it; a file that has the form already is not changed. Throws MEDIA_UNSUPPORTED. */
  convert(field: string, text: string, to: Form): Promise<Converted>
}

export type Form = 'voice' | 'video' | 'sticker' | 'picture' | 'thumbnail'

export interface Converted extends DecodedFile, Probe, Sound {
  readonly isAnimated?: boolean
}

export interface MediaConfig extends WorkConfig {
  readonly fetchTimeoutMs: number
}

interface Deps {
  readonly config: MediaConfig
  readonly processes: Processes
  readonly httpClient?: GatewayServices['httpClient'] | undefined
}

/** The thumbnail is part of the message, once per device; those of apps have less than 50 KiB. */
const MAX_THUMBNAIL = 262_144

const VOICE = 'audio/ogg; codecs=opus'

/** Formats that are decoded. SVG is excluded: it is a program that can keep the decoder busy for minutes. */
const PICTURES = ['jpeg', 'png', 'apng', 'webp', 'gif', 'avif', 'tiff'].map((name) => `image/${name}`)

/** Types recognized only by the first bits of a frame. */
const SYNCHRONIZED = new Set(['audio/mpeg', 'audio/aac'])

export function createMedia({ config, processes, httpClient }: Deps): Media {
  const { maxBytes } = config

  async function fetched(field: string, url: string): Promise<{ bytes: Buffer; declared: string }> {
    if (!httpClient)
      throw gatewayError('FIELD_INVALID', [
        field,
        'links require the plugin "http-client", which is disabled',
      ])
    try {
      const { bytes, type } = await httpClient.download(url, { maxBytes, timeoutMs: config.fetchTimeoutMs })
      return { bytes, declared: type }
    } catch (cause) {
      throw gatewayError('MEDIA_UNREACHABLE', [field, reasonOf(cause)], { cause })
    }
  }

  async function read(field: string, text: string): Promise<GivenFile> {
    const isLink = /^https?:/i.test(text)
    const { bytes, declared } = isLink ? await fetched(field, text) : await decodeMedia(field, text)
    if (bytes.length === 0) throw gatewayError('MEDIA_UNSUPPORTED', [field, 'the file is empty'])
    if (bytes.length > maxBytes) {
      const reason = `the file has ${bytes.length} bytes, at most ${maxBytes} are allowed`
      throw gatewayError('FIELD_INVALID', [field, reason])
    }
    // Loaded with the first file, because it has dozens of modules.
    const { fileTypeFromBuffer } = await import('file-type')
    const found = await fileTypeFromBuffer(bytes)
    return {
      bytes,
      mime: found?.mime ?? (declared || 'application/octet-stream'),
      isDetected: found !== undefined,
    }
  }

  async function kind(field: string, text: string, expected: 'audio' | 'video'): Promise<DecodedFile> {
    const { isDetected, ...found } = await read(field, text)
    // Containers hold either: mp4 and ogg files without video streams are audio.
    const isContainer = /^(video\/(mp4|webm|ogg|quicktime|matroska)|application\/ogg)$/.test(found.mime)
    const isKind = isDetected && (found.mime.startsWith(`${expected}/`) || isContainer)
    const isWhole = !SYNCHRONIZED.has(found.mime) || hasFrames(found.bytes)
    if (isKind && isWhole) return found
    const what = isKind ? 'the file' : isDetected ? found.mime : 'the content of the file'
    throw gatewayError('MEDIA_UNSUPPORTED', [field, `${what} is not ${expected}`])
  }

  return { of: (session) => sessionMedia(session, { read, kind, run: processes.run }) }
}

interface Parts {
  read(field: string, text: string): Promise<GivenFile>
  kind: SessionMedia['kind']
  run: Processes['run']
}

function sessionMedia(session: string, { read, kind, run }: Parts): SessionMedia {
  async function picture(field: string, text: string, isVideoToo = false): Promise<DecodedFile> {
    const { isDetected, ...found } = await read(field, text)
    if (isVideoToo && found.mime.startsWith('video/')) return found
    if (isDetected && PICTURES.includes(found.mime)) return found
    const what = isDetected ? found.mime : 'the content of the file'
    const reason = `${what} is not a picture that can be sent: use JPEG, PNG, WebP, GIF, AVIF or TIFF`
    throw gatewayError('MEDIA_UNSUPPORTED', [field, reason])
  }

  const media: SessionMedia = {
    async file(field, text) {
      const { bytes, mime } = await read(field, text)
      return { bytes, mime }
    },
    kind,
    async image(field, text) {
      const found = await picture(field, text)
      return { bytes: found.bytes, ...(await run(session, field, 'shown', found)) }
    },
    async photo(field, text, { isEnlarged = true } = {}) {
      const found = await picture(field, text)
      const { bytes } = await run(session, field, 'photo', { ...found, isEnlarged })
      return bytes
    },
    async convert(field, text, to) {
      if (to === 'voice') return media.audio(field, text, 'voice')
      if (to === 'sticker') return media.sticker(field, text)
      if (to === 'picture') return media.image(field, text)
      if (to === 'thumbnail') {
        const found = await picture(field, text, true)
        return { ...(await run(session, field, 'thumbnail', found)), mime: 'image/jpeg' }
      }
      const found = await kind(field, text, 'video')
      return { bytes: found.bytes, mime: 'video/mp4', ...(await run(session, field, 'video', found)) }
    },
    async document(field, text) {
      const found = await media.file(field, text)
      return found.mime === 'application/pdf'
        ? { ...found, ...(await run(session, field, 'document', found)) }
        : found
    },
    async sticker(field, text, pack) {
      const found = await picture(field, text, true)
      const made = await run(session, field, 'sticker', { ...found, ...(pack ? { pack } : {}) })
      return { bytes: found.bytes, mime: 'image/webp', ...made }
    },
    async audio(field, text, form) {
      const found = await kind(field, text, 'audio')
      const made = await run(session, field, 'audio', { ...found, form })
      const mime = made.isVoice ? VOICE : found.mime.replace(/^video\//, 'audio/')
      return { bytes: found.bytes, mime, ...made }
    },
    async video(field, text) {
      const found = await kind(field, text, 'video')
      return { ...found, ...(await run(session, field, 'film', found)) }
    },
    async thumbnail(field, text, format = 'jpeg') {
      const found = await picture(field, text)
      const isReady = found.mime === `image/${format}`
      const { bytes } = isReady ? found : await run(session, field, 'format', { ...found, format })
      if (bytes.length > MAX_THUMBNAIL) {
        const reason = `it has ${bytes.length} bytes, at most ${MAX_THUMBNAIL} are allowed`
        throw gatewayError('FIELD_INVALID', [field, reason])
      }
      return bytes
    },
  }
  return media
}
/** Most bytes before the first frame, apart from a tag. */
const MAX_LEAD = 65_536
/** The shortest frame of MPEG audio or ADTS. */
const MIN_FRAME = 7

/**
 * Whether MPEG audio or ADTS has two frames. Such a file is recognized only by the first eleven bits of a frame, which two
 * bytes may have by chance. Frames of one file begin with the same two bytes.
 */
function hasFrames(bytes: Buffer): boolean {
  const begin = tagLength(bytes)
  for (let at = begin; at < Math.min(bytes.length - MIN_FRAME, begin + MAX_LEAD); at += 1)
    if (bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xe0) === 0xe0)
      return bytes.indexOf(bytes.subarray(at, at + 2), at + MIN_FRAME) >= 0
  return false
}

/** Size of an ID3v2 tag with its header, whose length has seven bits per byte. */
function tagLength(bytes: Buffer): number {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 3) !== 'ID3') return 0
  return 10 + [6, 7, 8, 9].reduce((length, at) => length * 128 + ((bytes[at] ?? 0) & 0x7f), 0)
}
