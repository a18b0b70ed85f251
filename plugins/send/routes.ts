import type { AnyMessageContent } from '@whiskeysockets/baileys'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { Caption, common, file, Sent } from './schemas.ts'
import { send } from './send.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'media'>

export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/send/text', {
    summary: 'Send a text',
    body: T.Object({
      ...common,
      Body: T.String({ minLength: 1, aliases: ['Text', 'Message'], description: 'The text' }),
      LinkPreview: T.Optional(
        T.Boolean({ description: 'Accepted for older clients; previews are sent by /send/preview' }),
      ),
    }),
    response: Sent,
    handle: (request) => send('/send/text', request, () => ({ text: request.body.Body, linkPreview: null })),
  }),
  r.post('/send/image', {
    summary: 'Send a picture',
    body: T.Object({ ...common, Image: file('The picture'), Caption }),
    response: Sent,
    handle: (request, { media }) =>
      send('/send/image', request, async () => {
        const { bytes, mime, width, height, thumbnail } = await media.image('Image', request.body.Image)
        const content = {
          image: bytes,
          mimetype: mime,
          width,
          height,
          jpegThumbnail: thumbnail.toString('base64'),
        }
        return withCaption(content, request.body.Caption)
      }),
  }),
  r.post('/send/audio', {
    summary: 'Send a voice message or other audio',
    body: T.Object({
      ...common,
      Audio: file('The audio; a voice message must be ogg/opus'),
      Ptt: T.Optional(T.Boolean({ description: 'As a voice message (default)' })),
      Duration: T.Optional(T.Number({ minimum: 0, description: 'Seconds' })),
    }),
    response: Sent,
    handle: (request, { media }) =>
      send('/send/audio', request, async () => {
        const { Audio, Ptt: ptt = true, Duration } = request.body
        const { bytes, mime } = await media.kind('Audio', Audio, 'audio')
        // Without the codec phones show a voice message that they can't play.
        const mimetype = ptt ? 'audio/ogg; codecs=opus' : mime
        return { audio: bytes, ptt, mimetype, seconds: Math.round(Duration ?? 0) }
      }),
  }),
  r.post('/send/video', {
    summary: 'Send a video',
    body: T.Object({
      ...common,
      Video: file('The video'),
      Caption,
      JpegThumbnail: T.Optional(T.String({ description: 'Preview picture, base64' })),
    }),
    response: Sent,
    handle: (request, { media }) =>
      send('/send/video', request, async () => {
        const { Video, JpegThumbnail, Caption: caption } = request.body
        const { bytes, mime } = await media.kind('Video', Video, 'video')
        const thumbnail = JpegThumbnail ? await media.thumbnail('JpegThumbnail', JpegThumbnail) : undefined
        // An empty one keeps Baileys from starting a program to make it.
        const content = { video: bytes, mimetype: mime, jpegThumbnail: thumbnail?.toString('base64') ?? '' }
        return withCaption(content, caption)
      }),
  }),
  r.post('/send/document', {
    summary: 'Send a file',
    body: T.Object({
      ...common,
      Document: file('The file'),
      FileName: T.String({ minLength: 1, description: 'Its name, with ending' }),
      Caption,
      Mimetype: T.Optional(T.String({ description: 'Its type, where you know better' })),
    }),
    response: Sent,
    handle: (request, { media }) =>
      send('/send/document', request, async () => {
        const { Document, FileName, Mimetype, Caption: caption } = request.body
        const { bytes, mime } = await media.file('Document', Document)
        return withCaption({ document: bytes, fileName: FileName, mimetype: Mimetype || mime }, caption)
      }),
  }),
  r.post('/send/sticker', {
    summary: 'Send a sticker; pictures that are not WebP are converted',
    body: T.Object({
      ...common,
      Sticker: file('The sticker'),
      PngThumbnail: T.Optional(T.String({ description: 'Preview picture, base64' })),
    }),
    response: Sent,
    handle: (request, { media }) =>
      send('/send/sticker', request, async () => {
        const { Sticker, PngThumbnail } = request.body
        const { bytes, isAnimated } = await media.sticker('Sticker', Sticker)
        const png = PngThumbnail ? { pngThumbnail: await media.thumbnail('PngThumbnail', PngThumbnail) } : {}
        return { sticker: bytes, isAnimated, mimetype: 'image/webp', ...png } as AnyMessageContent
      }),
  }),
]

function withCaption(content: object, caption: string | undefined): AnyMessageContent {
  return (caption ? { ...content, caption } : content) as AnyMessageContent
}
