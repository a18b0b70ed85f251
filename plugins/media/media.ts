import { type GatewayServices, gatewayError, reasonOf } from 'wamux/plugin'
import { decodeMedia, type GivenFile, type MediaFile } from './data-url.ts'
import { createFfmpeg, type Ffmpeg, type FfmpegConfig, type Probe } from './ffmpeg.ts'
import { createPdf, type DocumentPreview, type PdfConfig } from './pdf.ts'
import { type Picture, shrink, toPhoto, toShown, toSticker, toThumbnail } from './picture.ts'
import { analyzeSound, type Sound } from './sound.ts'
import { type StickerPack, withPack } from './sticker-pack.ts'
import { hasFrames } from './sync-words.ts'

/** Files of requests: data URL, base64 or http(s) link. All reject with an error that names the field. */
export interface Media {
  /** Any file. Throws BASE64_INVALID, FIELD_INVALID, MEDIA_UNREACHABLE. */
  file(field: string, text: string): Promise<MediaFile>
  /**
   * A picture with its size and a JPEG thumbnail. Apps show JPEG and PNG; others are converted, animated ones to their first
   * frame. Throws MEDIA_UNSUPPORTED for any other file.
   */
  image(field: string, text: string): Promise<MediaFile & Picture>
  /**
   * A picture of an account, group or newsletter, as phones upload it: an upright square of 640 pixels cut from the centre,
   * as JPEG. A smaller picture is enlarged unless `isEnlarged` is false. Throws MEDIA_UNSUPPORTED.
   */
  photo(field: string, text: string, options?: { isEnlarged?: boolean }): Promise<Buffer>
  /** A WebP sticker, converted from a picture or video where necessary; of a pack, if one is given. */
  sticker(field: string, text: string, pack?: StickerPack): Promise<MediaFile & { isAnimated: boolean }>
  /** A file whose content must be `audio` or `video`. Throws MEDIA_UNSUPPORTED. */
  kind(field: string, text: string, kind: 'audio' | 'video'): Promise<MediaFile>
  /**
   * Audio: as voice message (Ogg with Opus, converted where necessary), unchanged (`file`), or as a voice message if
   * it can be converted here (`best`).
   */
  audio(
    field: string,
    text: string,
    form: 'voice' | 'file' | 'best',
  ): Promise<MediaFile & Sound & { isVoice: boolean }>
  /** Any file, with what apps show of a PDF if it can be determined here. */
  document(field: string, text: string): Promise<MediaFile & Partial<DocumentPreview>>
  /** A video, with its size, length and a JPEG thumbnail where these can be determined. */
  video(field: string, text: string): Promise<MediaFile & Probe & { thumbnail?: Buffer }>
  /**
   * A thumbnail given by the client, converted to the required format. Throws FIELD_INVALID for one over 256 KiB.
   */
  thumbnail(field: string, text: string, format?: 'jpeg' | 'png'): Promise<Buffer>
  /** In the form in which WhatsApp sends it; a file that has the form already is not changed. Throws MEDIA_UNSUPPORTED. */
  convert(field: string, text: string, to: Form): Promise<Converted>
}

export type Form = 'voice' | 'video' | 'sticker' | 'picture' | 'thumbnail'

export interface Converted extends MediaFile, Probe, Sound {
  readonly isAnimated?: boolean
}

export interface MediaConfig extends FfmpegConfig, PdfConfig {
  maxPixels: number
  fetchTimeoutMs: number
}

interface Deps {
  config: MediaConfig
  httpClient?: GatewayServices['httpClient'] | undefined
}

/** The thumbnail is part of the message, once per device; those of apps have less than 50 KiB. */
const MAX_THUMBNAIL = 262_144

const VOICE = 'audio/ogg; codecs=opus'

/** Types recognized only by the first bits of a frame. */
const SYNCHRONIZED = new Set(['audio/mpeg', 'audio/aac'])

export function createMedia({ config, httpClient }: Deps): Media {
  const { maxBytes, maxPixels } = config
  const ffmpeg = createFfmpeg(config)
  const pdf = createPdf(config)

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

  async function kind(field: string, text: string, expected: 'audio' | 'video'): Promise<MediaFile> {
    const { isDetected, ...found } = await read(field, text)
    // Containers hold either: mp4 and ogg files without video streams are audio.
    const isContainer = /^(video\/(mp4|webm|ogg|quicktime|matroska)|application\/ogg)$/.test(found.mime)
    const isKind = isDetected && (found.mime.startsWith(`${expected}/`) || isContainer)
    const isWhole = !SYNCHRONIZED.has(found.mime) || hasFrames(found.bytes)
    if (isKind && isWhole) return found
    const what = isKind ? 'the file' : isDetected ? found.mime : 'the content of the file'
    throw gatewayError('MEDIA_UNSUPPORTED', [field, `${what} is not ${expected}`])
  }

  /** Optional properties of a file; none if they can't be determined. */
  async function measured(bytes: Buffer): Promise<Probe> {
    if (!(await ffmpeg.isThere())) return {}
    return ffmpeg.inspect(bytes).then(
      ({ probe }) => probe,
      () => ({}),
    )
  }

  async function asMp4(field: string, text: string): Promise<Converted> {
    const { bytes } = await kind(field, text, 'video')
    const found = (await ffmpeg.isThere()) ? await ffmpeg.inspect(bytes).catch(() => undefined) : undefined
    if (found?.isShown) return { bytes, mime: 'video/mp4', ...found.probe }
    const video = await converted(ffmpeg, field, (program) => program.video(bytes))
    return { bytes: video, mime: 'video/mp4', ...(await measured(video)) }
  }

  async function asThumbnail(field: string, text: string): Promise<Converted> {
    const found = await read(field, text)
    const bytes = found.mime.startsWith('video/')
      ? await shrink(await converted(ffmpeg, field, (program) => program.frame(found.bytes)))
      : (await toShown(field, found, maxPixels)).thumbnail
    return { bytes, mime: 'image/jpeg' }
  }

  const image: Media['image'] = async (field, text) => toShown(field, await read(field, text), maxPixels)

  const media: Media = {
    async file(field, text) {
      const { bytes, mime } = await read(field, text)
      return { bytes, mime }
    },
    kind,
    image,
    photo: async (field, text, options) => toPhoto(await image(field, text), options),
    async convert(field, text, to) {
      if (to === 'voice') return media.audio(field, text, 'voice')
      if (to === 'video') return asMp4(field, text)
      if (to === 'sticker') return media.sticker(field, text)
      return to === 'picture' ? image(field, text) : asThumbnail(field, text)
    },
    async document(field, text) {
      const { bytes, mime } = await read(field, text)
      const preview = mime === 'application/pdf' ? await pdf.preview(bytes) : undefined
      return { bytes, mime, ...preview }
    },
    async sticker(field, text, pack) {
      const found = await read(field, text)
      const sticker = found.mime.startsWith('video/')
        ? {
            bytes: await converted(ffmpeg, field, (program) => program.sticker(found.bytes)),
            isAnimated: true,
          }
        : await toSticker(field, found, maxPixels)
      const bytes = pack ? withPack(sticker.bytes, pack) : sticker.bytes
      return { bytes, mime: 'image/webp', isAnimated: sticker.isAnimated }
    },
    async audio(field, text, form) {
      const { bytes, mime } = await kind(field, text, 'audio')
      const isReady = mime === VOICE
      const isVoice = form === 'voice' || (form === 'best' && (isReady || (await ffmpeg.isThere())))
      if (!isVoice) {
        const { seconds } = await measured(bytes)
        const type = mime.replace(/^video\//, 'audio/')
        return { bytes, mime: type, isVoice, ...(seconds ? { seconds } : {}) }
      }
      const voice = isReady ? bytes : await converted(ffmpeg, field, (program) => program.voice(bytes))
      return { bytes: voice, mime: VOICE, isVoice, ...(await analyzeSound(ffmpeg, voice)) }
    },
    async video(field, text) {
      const found = await kind(field, text, 'video')
      const { bytes } = found
      const isThere = await ffmpeg.isThere()
      const thumbnail = isThere ? await ffmpeg.frame(bytes).then(shrink, () => undefined) : undefined
      return { ...found, ...(await measured(bytes)), ...(thumbnail ? { thumbnail } : {}) }
    },
    async thumbnail(field, text, format = 'jpeg') {
      const thumbnail = await toThumbnail(field, await read(field, text), format, maxPixels)
      if (thumbnail.length > MAX_THUMBNAIL) {
        const reason = `it has ${thumbnail.length} bytes, at most ${MAX_THUMBNAIL} are allowed`
        throw gatewayError('FIELD_INVALID', [field, reason])
      }
      return thumbnail
    },
  }
  return media
}

async function converted(
  ffmpeg: Ffmpeg,
  field: string,
  convert: (ffmpeg: Ffmpeg) => Promise<Buffer>,
): Promise<Buffer> {
  if (!(await ffmpeg.isThere())) {
    const reason = 'it must be converted, and ffmpeg is not installed'
    throw gatewayError('MEDIA_UNSUPPORTED', [field, reason])
  }
  return convert(ffmpeg).catch((cause: unknown) => {
    throw gatewayError('MEDIA_UNSUPPORTED', [field, reasonOf(cause)], { cause })
  })
}
