import { isProgram, type Limits, run } from './program.ts'

export interface Probe {
  seconds?: number
  /** As displayed, with its rotation applied. */
  width?: number
  height?: number
}

/** Audio and video conversion by ffmpeg and ffprobe, if installed. */
export interface Ffmpeg {
  isThere(): Promise<boolean>
  /** `isShown`: all apps play the video as it is, MP4 with H.264, and AAC or no sound. */
  inspect(bytes: Buffer): Promise<{ probe: Probe; isShown: boolean }>
  /** Mono Ogg with Opus, which phones play as a voice message. */
  voice(bytes: Buffer): Promise<Buffer>
  /** The loudness of the sound, as signed 16-bit samples. */
  samples(bytes: Buffer): Promise<Buffer>
  /** MP4 with H.264 and AAC of at most 1280 pixels, which plays while it loads. */
  video(bytes: Buffer): Promise<Buffer>
  /** The first frame of a video, JPEG. */
  frame(bytes: Buffer): Promise<Buffer>
  /** The first seconds of a video as an animated WebP of 512 by 512 pixels. */
  sticker(bytes: Buffer): Promise<Buffer>
}

export interface FfmpegConfig {
  readonly ffmpeg: string
  readonly ffprobe: string
}

/**
 * The file is untrusted: only self-contained formats are opened (a playlist could name other files), and nothing is
 * fetched.
 */
const CAREFUL = [
  '-protocol_whitelist',
  'file,pipe',
  '-format_whitelist',
  'mov,matroska,webm,ogg,mp3,wav,aac,flac,amr,aiff,avi,mpeg,mpegts,flv,gif',
]
const SMALLER =
  "scale='min(1280,iw)':'min(1280,ih)':force_original_aspect_ratio=decrease:force_divisible_by=2,format=yuv420p"
const BOX =
  'fps=15,scale=512:512:force_original_aspect_ratio=decrease,format=rgba,pad=512:512:-1:-1:color=black@0'

/** One for the decoder, the filters and the encoder each: several of these programs share the machine with the gateway. */
const THREADS = ['-threads', '1', '-filter_threads', '1']

export function createFfmpeg({ ffmpeg, ffprobe }: FfmpegConfig, limits: Limits): Ffmpeg {
  async function convert(bytes: Buffer, args: readonly string[]): Promise<Buffer> {
    const quiet = ['-nostdin', '-hide_banner', '-loglevel', 'error']
    const opened = [...THREADS, ...CAREFUL, '-i', 'in']
    const written = ['-threads', '1', ...args, '-map_metadata', '-1', '-fs', String(limits.maxBytes), 'out']
    const { out } = await run(ffmpeg, [...quiet, ...opened, ...written], bytes, limits)
    if (out.length === 0) throw new Error('it has no stream to convert')
    return out
  }

  return {
    isThere: () => isProgram(ffmpeg),
    async inspect(bytes) {
      const shown =
        'format=duration,format_name:stream=codec_type,codec_name,width,height:stream_side_data=rotation'
      const args = ['-v', 'error', ...CAREFUL, '-show_entries', shown, '-of', 'json', 'in']
      const { printed } = await run(ffprobe, args, bytes, limits)
      const found = JSON.parse(printed) as Printed
      return { probe: toProbe(found), isShown: isShown(found) }
    },
    voice: (bytes) =>
      convert(bytes, [
        ...'-map 0:a:0 -ac 1 -ar 48000 -c:a libopus -b:a 32k -application voip -f ogg'.split(' '),
      ]),
    samples: (bytes) => convert(bytes, [...'-map 0:a:0 -ac 1 -ar 8000 -f s16le'.split(' ')]),
    video: (bytes) =>
      convert(bytes, [
        ...'-map 0:v:0 -map 0:a:0? -vf'.split(' '),
        SMALLER,
        ...'-c:v libx264 -profile:v main -preset veryfast -crf 26 -c:a aac -ac 2 -b:a 96k -movflags +faststart -f mp4'.split(
          ' ',
        ),
      ]),
    frame: (bytes) => convert(bytes, [...'-map 0:v:0 -frames:v 1 -c:v mjpeg -f image2 -update 1'.split(' ')]),
    sticker: (bytes) =>
      convert(bytes, [
        ...'-map 0:v:0 -t 6 -vf'.split(' '),
        BOX,
        ...'-c:v libwebp_anim -quality 50 -loop 0 -f webp'.split(' '),
      ]),
  }
}

interface Printed {
  format?: { duration?: string; format_name?: string }
  streams?: {
    codec_name?: string
    codec_type?: string
    width?: number
    height?: number
    side_data_list?: { rotation?: number }[]
  }[]
}

function isShown({ format, streams = [] }: Printed): boolean {
  const isMp4 = format?.format_name?.split(',').includes('mp4') ?? false
  const codecs = streams.map(({ codec_name: name = '' }) => name)
  return isMp4 && codecs.includes('h264') && codecs.every((name) => ['h264', 'aac'].includes(name))
}

function toProbe({ format, streams = [] }: Printed): Probe {
  const seconds = Number(format?.duration)
  const video = streams.find(({ codec_type }) => codec_type === 'video')
  const rotation = video?.side_data_list?.find((data) => data.rotation !== undefined)?.rotation ?? 0
  const size = [video?.width, video?.height]
  const [width, height] = rotation % 180 === 0 ? size : size.reverse()
  return {
    ...(Number.isFinite(seconds) && seconds > 0 ? { seconds } : {}),
    ...(width && height ? { width, height } : {}),
  }
}
