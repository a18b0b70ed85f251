import { createFfmpeg, type Ffmpeg, type FfmpegConfig, type Probe } from './ffmpeg.ts'
import { type DocumentPreview, type PdfConfig, previewOf } from './pdf.ts'
import { type Picture, shrinkFrame, toFormat, toPhoto, toShown, toSticker } from './picture.ts'
import type { Limits } from './program.ts'
import { analyzeSound, type Sound } from './sound.ts'
import { type StickerPack, withPack } from './sticker-pack.ts'

export interface WorkConfig extends FfmpegConfig, PdfConfig {
  readonly maxBytes: number
  readonly maxPixels: number
  readonly convertTimeoutMs: number
}

/** A file, with its type as detected. */
export interface Given {
  readonly bytes: Buffer
  readonly mime: string
}

/** A result without `bytes`: the given file already has the form. */
interface Kept {
  readonly bytes?: Buffer
}

/** What is done to files, outside the process that serves. Rejects with the reason why a file can't have the form. */
export interface MediaWork {
  shown(given: Given): Promise<Kept & Picture & { readonly mime: string }>
  photo(given: Given & { readonly isEnlarged: boolean }): Promise<{ readonly bytes: Buffer }>
  sticker(given: Given & { readonly pack?: StickerPack }): Promise<Kept & { readonly isAnimated: boolean }>
  /** Of a picture, in another format. */
  format(given: Given & { readonly format: 'jpeg' | 'png' }): Promise<{ readonly bytes: Buffer }>
  /** The small picture of a picture or video. */
  thumbnail(given: Given): Promise<{ readonly bytes: Buffer }>
  /** MP4 that all apps play. */
  video(given: Given): Promise<Kept & Probe>
  /** What apps show of a video before they download it. */
  film(given: Given): Promise<Probe & { readonly thumbnail?: Buffer }>
  /** As a voice message; `best` only if it can be converted here. */
  audio(
    given: Given & { readonly form: 'voice' | 'file' | 'best' },
  ): Promise<Kept & Sound & { readonly isVoice: boolean }>
  document(given: Given): Promise<Partial<DocumentPreview>>
}

export const VOICE = 'audio/ogg; codecs=opus'

export function createWork(config: WorkConfig, limits: Limits): MediaWork {
  const { maxPixels } = config
  const ffmpeg = createFfmpeg(config, limits)

  /** Optional properties of a file; none if they can't be determined. */
  async function measured(bytes: Buffer): Promise<Probe> {
    if (!(await ffmpeg.isThere())) return {}
    return ffmpeg.inspect(bytes).then(
      ({ probe }) => probe,
      () => ({}),
    )
  }

  async function present(): Promise<Ffmpeg> {
    if (await ffmpeg.isThere()) return ffmpeg
    throw new Error('it must be converted, and ffmpeg is not installed')
  }

  const shown: MediaWork['shown'] = ({ bytes, mime }) => toShown(bytes, mime, maxPixels)

  return {
    shown,
    photo: async ({ bytes, isEnlarged }) => ({ bytes: await toPhoto(bytes, maxPixels, isEnlarged) }),
    async sticker({ bytes, mime, pack }) {
      const sticker = mime.startsWith('video/')
        ? { bytes: await (await present()).sticker(bytes), isAnimated: true }
        : await toSticker(bytes, mime, maxPixels)
      return pack ? { ...sticker, bytes: withPack(sticker.bytes ?? bytes, pack) } : sticker
    },
    format: async ({ bytes, format }) => ({ bytes: await toFormat(bytes, format, maxPixels) }),
    async thumbnail({ bytes, mime }) {
      if (!mime.startsWith('video/')) return { bytes: (await shown({ bytes, mime })).thumbnail }
      return { bytes: await shrinkFrame(await (await present()).frame(bytes), maxPixels) }
    },
    async video({ bytes }) {
      const found = (await ffmpeg.isThere()) ? await ffmpeg.inspect(bytes).catch(() => undefined) : undefined
      if (found?.isShown) return found.probe
      const video = await (await present()).video(bytes)
      return { bytes: video, ...(await measured(video)) }
    },
    async film({ bytes }) {
      if (!(await ffmpeg.isThere())) return {}
      const frame = await ffmpeg.frame(bytes).catch(() => undefined)
      const thumbnail = frame && (await shrinkFrame(frame, maxPixels))
      return { ...(await measured(bytes)), ...(thumbnail ? { thumbnail } : {}) }
    },
    async audio({ bytes, mime, form }) {
      const isReady = mime === VOICE
      const isVoice = form === 'voice' || (form === 'best' && (isReady || (await ffmpeg.isThere())))
      if (!isVoice) {
        const { seconds } = await measured(bytes)
        return { isVoice, ...(seconds ? { seconds } : {}) }
      }
      const converted = isReady ? {} : { bytes: await (await present()).voice(bytes) }
      return { ...converted, isVoice, ...(await analyzeSound(ffmpeg, converted.bytes ?? bytes)) }
    },
    document: async ({ bytes }) => (await previewOf(bytes, config, limits)) ?? {},
  }
}
