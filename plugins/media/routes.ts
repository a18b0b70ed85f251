import { file, SAMPLES } from 'wamux/messaging'
import { type RouteBuilder, T } from 'wamux/plugin'
import type { Media } from './media.ts'

const FORMS = ['voice', 'video', 'sticker', 'picture', 'thumbnail'] as const

export const routes = <D extends { media: Media }>(r: RouteBuilder<D>) => [
  r.post('/media/convert', {
    leaves: [],
    summary: 'Convert a file to the form in which WhatsApp sends it',
    description:
      '`voice` is Ogg with Opus, `video` MP4 with H.264 and AAC, `sticker` WebP of 512 by 512 pixels, `picture` JPEG, or PNG if it is transparent, `thumbnail` a JPEG of at most 72 pixels of a picture or video. A file that has the form already is not changed. The `/send/*` endpoints convert pictures, stickers and voice messages themselves: this is for videos, and to see the result or to send it often. Audio and video need ffmpeg (415 without it).',
    example: { File: SAMPLES.picture, To: 'sticker' },
    access: 'token',
    errors: ['BASE64_INVALID', 'MEDIA_UNSUPPORTED', 'MEDIA_UNREACHABLE'],
    body: T.Object({
      File: file('Audio, video or picture'),
      To: T.Enum(FORMS, { description: 'The form' }),
    }),
    response: T.Object({
      Mimetype: T.String(),
      Data: T.String({ description: 'Data URL, accepted by `/send/*`' }),
      Bytes: T.Integer({ description: 'Size of the file' }),
      Seconds: T.Optional(T.Number({ description: 'Duration of a voice message or video' })),
      Width: T.Optional(T.Integer({ description: 'Of a picture or video, in pixels' })),
      Height: T.Optional(T.Integer()),
      Waveform: T.Optional(
        T.String({ description: 'Loudness of 64 segments of a voice message, 0 to 100 each; base64' }),
      ),
      Animated: T.Optional(T.Boolean({ description: 'Whether the sticker moves' })),
    }),
    async handle({ session, body }, { media }) {
      const { bytes, mime, seconds, width, height, waveform, isAnimated } = await media
        .of(session.id)
        .convert('File', body.File, body.To)
      return {
        Mimetype: mime,
        Data: `data:${mime.replace(/; /g, ';')};base64,${bytes.toString('base64')}`,
        Bytes: bytes.length,
        ...(seconds === undefined ? {} : { Seconds: seconds }),
        ...(width === undefined || height === undefined ? {} : { Width: width, Height: height }),
        ...(waveform ? { Waveform: waveform.toString('base64') } : {}),
        ...(isAnimated === undefined ? {} : { Animated: isAnimated }),
      }
    },
  }),
]
