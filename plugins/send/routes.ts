import { file, LENGTHS, SAMPLES, Sent, sendFields } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { audioOf, documentOf, imageOf, loopOf, once, stickerOf, videoNoteOf, videoOf } from './files.ts'
import { Caption, Duration, LongText, Thumbnail, ViewOnce } from './schemas.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'media' | 'sender' | 'targets'>

export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/send/text', {
    ignoresUnknown: true,
    summary: 'Send a text',
    isQueueable: true,
    description:
      'The answer comes when WhatsApp has acknowledged the message. Set `Id` or an `Idempotency-Key` to make the call safe to repeat.',
    example: { Phone: '5511999999999', Body: 'Hello!' },
    body: T.Object({
      ...sendFields,
      Body: LongText,
      LinkPreview: T.Optional(
        T.Boolean({ description: 'Accepted for older clients and ignored; use /send/preview for previews' }),
      ),
    }),
    response: Sent,
    handle: (request, { sender }) =>
      sender.send('/send/text', request, () => ({ text: request.body.Body, linkPreview: null })),
  }),
  r.post('/send/image', {
    ignoresUnknown: true,
    summary: 'Send a picture',
    description:
      'With an optional caption below it. JPEG and PNG are sent as they are; WebP, GIF (its first frame), AVIF and TIFF are converted, since not all apps show them; anything else is refused (415).',
    example: { Phone: '5511999999999', Image: SAMPLES.picture, Caption: 'Our shop' },
    body: T.Object({ ...sendFields, Image: file('The picture'), Caption, ViewOnce }),
    response: Sent,
    handle: (request, { media, sender }) =>
      sender.send('/send/image', request, async () => {
        const { Image, Caption: caption, ViewOnce: viewOnce } = request.body
        return once(
          await imageOf(media.of(request.session.id), { field: 'Image', file: Image, caption }),
          viewOnce,
        )
      }),
  }),
  r.post('/send/audio', {
    ignoresUnknown: true,
    summary: 'Send a voice message or other audio',
    example: { Phone: '5511999999999', Audio: SAMPLES.voice, Ptt: true },
    description:
      'Ogg with Opus is sent unchanged; other audio is converted to a voice message if ffmpeg is installed. Without ffmpeg it is sent as a file or, if Ptt is true, refused (415).',
    body: T.Object({
      ...sendFields,
      Audio: file('The audio'),
      Ptt: T.Optional(T.Boolean({ description: 'Send as a voice message (default)' })),
      Duration,
      ViewOnce,
    }),
    response: Sent,
    handle: (request, { media, sender }) =>
      sender.send('/send/audio', request, async () => {
        const { Audio, Ptt: ptt, Duration: duration, ViewOnce: viewOnce } = request.body
        // WhatsApp has it for voice messages alone.
        if (viewOnce && ptt === false)
          throw gatewayError('FIELD_INVALID', ['ViewOnce', 'only for voice messages'])
        const as = ptt || viewOnce ? 'voice' : ptt === undefined ? 'best' : 'file'
        return once(
          await audioOf(media.of(request.session.id), { field: 'Audio', file: Audio }, as, duration),
          viewOnce,
        )
      }),
  }),
  r.post('/send/video', {
    ignoresUnknown: true,
    summary: 'Send a video',
    description:
      'MP4 plays in all apps. The preview is `JpegThumbnail`, or is created if ffmpeg is installed.',
    example: { Phone: '5511999999999', Video: SAMPLES.video, Caption: 'How we bake' },
    body: T.Object({
      ...sendFields,
      Video: file('The video'),
      Caption,
      JpegThumbnail: Thumbnail,
      ViewOnce,
      Ptv: T.Optional(
        T.Boolean({
          description: 'Send as a video note, which apps show as a circle; without caption, at most 60 s',
        }),
      ),
      Gif: T.Optional(T.Boolean({ description: 'Play it in a loop and without sound, like a GIF' })),
    }),
    response: Sent,
    handle: (request, { media, sender, targets }) =>
      sender.send('/send/video', request, async () => {
        const { Video, JpegThumbnail, Caption: caption, ViewOnce: viewOnce, Ptv, Gif } = request.body
        if (Ptv) assertNote(request.body)
        const own = media.of(request.session.id)
        const thumbnail = JpegThumbnail ? await own.thumbnail('JpegThumbnail', JpegThumbnail) : undefined
        const content = await videoOf(own, { field: 'Video', file: Video, caption }, { thumbnail })
        if (Ptv) {
          const chat = await targets.resolveChat(request.session, request.body.Phone)
          return videoNoteOf(request.session, chat, content)
        }
        return once(Gif ? loopOf(content) : content, viewOnce)
      }),
  }),
  r.post('/send/document', {
    ignoresUnknown: true,
    summary: 'Send a file',
    description: 'Any kind of file; the chat shows `FileName`.',
    example: { Phone: '5511999999999', Document: SAMPLES.picture, FileName: 'bread.png' },
    body: T.Object({
      ...sendFields,
      Document: file('The file'),
      FileName: T.String({ minLength: 1, maxLength: LENGTHS.line, description: 'Its name, with extension' }),
      Caption,
      Mimetype: T.Optional(
        T.String({ maxLength: LENGTHS.id, description: 'MIME type; detected when absent' }),
      ),
    }),
    response: Sent,
    handle: (request, { media, sender }) =>
      sender.send('/send/document', request, () => {
        const { Document, FileName: fileName, Mimetype: mimetype, Caption: caption } = request.body
        return documentOf(
          media.of(request.session.id),
          { field: 'Document', file: Document, caption },
          { fileName, mimetype },
        )
      }),
  }),
  r.post('/send/sticker', {
    ignoresUnknown: true,
    summary: 'Send a sticker; pictures and short videos that are not WebP are converted',
    description:
      'A WebP file is sent unchanged, but for the pack: apps name `PackName` and `PackPublisher` when the sticker is tapped.',
    example: { Phone: '5511999999999', Sticker: SAMPLES.picture, PackName: 'Bakery', PackPublisher: 'Shop' },
    body: T.Object({
      ...sendFields,
      Sticker: file('The sticker'),
      PngThumbnail: Thumbnail,
      PackName: T.Optional(T.String({ maxLength: LENGTHS.id, description: 'Name of its pack' })),
      PackPublisher: T.Optional(T.String({ maxLength: LENGTHS.id, description: 'Who made the pack' })),
      Emojis: T.Optional(
        T.Array(T.String({ minLength: 1, maxLength: 32 }), {
          maxItems: 3,
          description: 'What the sticker is found by in the apps; needs `PackName`',
        }),
      ),
    }),
    response: Sent,
    handle: (request, { media, sender }) =>
      sender.send('/send/sticker', request, async () => {
        const { Sticker, PngThumbnail, PackName, PackPublisher = '', Emojis = [] } = request.body
        if (!PackName && (PackPublisher || Emojis.length > 0))
          throw gatewayError('FIELD_MISSING', ['PackName'])
        const pack = PackName ? { name: PackName, publisher: PackPublisher, emojis: Emojis } : undefined
        const own = media.of(request.session.id)
        const png = PngThumbnail ? await own.thumbnail('PngThumbnail', PngThumbnail, 'png') : undefined
        return stickerOf(own, { field: 'Sticker', file: Sticker }, { png, pack })
      }),
  }),
]

/** What a video note can't have. */
function assertNote({
  Caption,
  ViewOnce,
  Gif,
}: {
  Caption?: string
  ViewOnce?: boolean
  Gif?: boolean
}): void {
  if (Caption) throw gatewayError('FIELD_INVALID', ['Caption', 'a video note has none'])
  if (ViewOnce) throw gatewayError('FIELD_INVALID', ['ViewOnce', 'not for video notes'])
  if (Gif) throw gatewayError('FIELD_INVALID', ['Gif', 'set it or Ptv, not both'])
}
