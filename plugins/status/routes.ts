import { file, Id, LENGTHS, node, SAMPLES, Sent, scheduleFields } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { type AudienceParts, audienceOf, type NamedAudience } from './audience.ts'
import { STATUS } from './received.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'media' | 'sender'> & AudienceParts

const WHITE = 0xffffffff
const SLATE = 0xff1f2c34

const common = {
  StatusJidList: T.Optional(
    T.Array(T.String({ minLength: 1, maxLength: LENGTHS.id, format: 'phone' }), {
      minItems: 1,
      maxItems: 50_000,
      description: 'Numbers or JIDs of the recipients; the contacts when absent',
    }),
  ),
  ExceptJidList: T.Optional(
    T.Array(
      T.String({ minLength: 1, maxLength: LENGTHS.id, format: 'phone', names: 'unknown', leaves: 'nothing' }),
      {
        minItems: 1,
        maxItems: 50_000,
        description: 'In place of `StatusJidList`: all contacts except these numbers or JIDs',
      },
    ),
  ),
  Id,
  ...scheduleFields,
}
const Caption = T.Optional(T.String({ maxLength: LENGTHS.text, description: 'Text below the file' }))
const Colour = (description: string) =>
  T.Optional(
    T.Integer({
      minimum: -0x80000000,
      maximum: 0xffffffff,
      description: `${description}: ARGB, signed or unsigned`,
      examples: [0xff1f2c34],
    }),
  )

export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/status/text', {
    ignoresUnknown: true,
    leaves: ['recipient'],
    summary: 'Post a text status',
    chain: { saves: { statusPost: 'Id' } },
    description: 'Shown for 24 hours to `StatusJidList`, or to all contacts.',
    example: {
      Text: 'Fresh bread from seven',
      BackgroundColor: 4280184410,
      StatusJidList: ['5511999999999'],
    },
    body: T.Object({
      Text: T.String({
        minLength: 1,
        maxLength: LENGTHS.text,
        aliases: ['Body', 'Message'],
        description: 'The text',
      }),
      TextColor: Colour('Text colour'),
      BackgroundColor: Colour('Background colour'),
      Font: T.Optional(T.Enum([0, 1, 2, 6, 7, 8, 9, 10], { description: 'Which letters' })),
      ...common,
    }),
    response: Sent,
    handle: (request, deps) => {
      const { Text, TextColor = WHITE, BackgroundColor = SLATE, Font = 0 } = request.body
      // A complete message: Baileys drops a background given as a number and does not support text colours
      // (Utils/messages.js assertColor).
      const extendedTextMessage = {
        text: Text,
        textArgb: TextColor >>> 0,
        backgroundArgb: BackgroundColor >>> 0,
        font: Font,
      }
      return post('/status/text', request, deps, () => ({ proto: { extendedTextMessage } }))
    },
  }),
  r.post('/status/image', {
    ignoresUnknown: true,
    leaves: ['recipient'],
    summary: 'Post a picture as status',
    description: 'Shown for 24 hours to `StatusJidList`, or to all contacts.',
    example: {
      Image: SAMPLES.picture,
      Caption: 'Fresh bread',
      StatusJidList: ['5511999999999'],
    },
    body: T.Object({ Image: file('The picture'), Caption, ...common }),
    response: Sent,
    handle: (request, deps) =>
      post('/status/image', request, deps, async () => {
        const { bytes, mime, width, height, thumbnail } = await deps.media
          .of(request.session.id)
          .image('Image', request.body.Image)
        const jpegThumbnail = thumbnail.toString('base64')
        return { image: bytes, mimetype: mime, width, height, jpegThumbnail, ...captionOf(request.body) }
      }),
  }),
  r.post('/status/video', {
    ignoresUnknown: true,
    leaves: ['recipient'],
    summary: 'Post a video as status',
    description: 'Shown for 24 hours to `StatusJidList`, or to all contacts.',
    example: {
      Video: SAMPLES.video,
      Caption: 'How we bake',
      StatusJidList: ['5511999999999'],
    },
    body: T.Object({
      Video: file('The video'),
      Caption,
      JpegThumbnail: T.Optional(
        T.String({
          format: 'file',
          description: 'Preview picture of at most 256 KiB: data URL, base64 or http(s) link',
        }),
      ),
      ...common,
    }),
    response: Sent,
    handle: (request, deps) =>
      post('/status/video', request, deps, async () => {
        const { Video, JpegThumbnail } = request.body
        const media = deps.media.of(request.session.id)
        const { bytes, mime } = await media.kind('Video', Video, 'video')
        const thumbnail = JpegThumbnail ? await media.thumbnail('JpegThumbnail', JpegThumbnail) : undefined
        // An empty thumbnail keeps Baileys from starting ffmpeg to create one.
        const jpegThumbnail = thumbnail?.toString('base64') ?? ''
        return { video: bytes, mimetype: mime, jpegThumbnail, ...captionOf(request.body) }
      }),
  }),
  r.post('/status/audio', {
    leaves: ['recipient'],
    summary: 'Post a voice message as status',
    description:
      'Shown for 24 hours to `StatusJidList`, or to all contacts. Ogg with Opus is posted unchanged; other audio is converted if ffmpeg is installed, or else refused (415).',
    example: { Audio: SAMPLES.voice, BackgroundColor: 4280184410, StatusJidList: ['5511999999999'] },
    body: T.Object({
      Audio: file('The audio'),
      BackgroundColor: Colour('Background colour'),
      ...common,
    }),
    response: Sent,
    handle: (request, deps) =>
      post('/status/audio', request, deps, async () => {
        const { Audio, BackgroundColor = SLATE } = request.body
        const { bytes, mime, seconds, waveform } = await deps.media
          .of(request.session.id)
          .audio('Audio', Audio, 'voice')
        return {
          audio: bytes,
          ptt: true,
          mimetype: mime,
          seconds: Math.round(seconds ?? 0),
          ...(waveform ? { waveform } : {}),
          backgroundArgb: BackgroundColor >>> 0,
        }
      }),
  }),
]

type Send = GatewayServices['sender']['send']
type Request = Parameters<Send>[1] & { body: NamedAudience }

async function post(path: string, request: Request, deps: Deps, content: Parameters<Send>[2]) {
  const { setting, jids } = await audienceOf(request.session, request.body, deps)
  // whatsapp-rust src/send/mod.rs and zapo WaMessageDispatchCoordinator.ts have it on posts; Baileys does not.
  const nodes = [node('meta', { status_setting: setting })]
  return deps.sender.send(path, request, content, { chat: STATUS, audience: jids, nodes })
}

function captionOf({ Caption: caption }: { Caption?: string }): { caption?: string } {
  return caption ? { caption } : {}
}
