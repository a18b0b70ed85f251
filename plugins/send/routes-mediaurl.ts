import querystring from 'node:querystring'
import { Id, LENGTHS, Sent, scheduleFields } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, type Static, T } from 'wamux/plugin'
import { audioOf, documentOf, imageOf, type SendMedia, stickerOf, videoOf } from './files.ts'
import { Duration, OneOf } from './schemas.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'media' | 'sender' | 'targets'>

const MediaUrl = T.Object({
  Jid: T.String({
    minLength: 1,
    maxLength: LENGTHS.id,
    format: 'phone',
    leaves: 'recipient',
    aliases: ['Phone', 'Number', 'Chat'],
    description: 'Phone number with country code, or the JID of a person, group or newsletter',
  }),
  Url: T.String({
    minLength: 1,
    // Not part of the message; URLs of storage services have long signatures.
    maxLength: 8192,
    format: 'link',
    pattern: '^[hH][tT][tT][pP][sS]?://',
    aliases: ['MediaUrl'],
    description: 'Address of the file, http or https',
  }),
  Type: OneOf(
    ['image', 'video', 'audio', 'document', 'sticker', 'ptt'],
    'Kind of message; ptt is a voice message',
  ),
  Caption: T.String({
    allowEmpty: true,
    maxLength: LENGTHS.text,
    description: 'Text below the file; may be empty',
  }),
  Filename: T.String({
    allowEmpty: true,
    maxLength: LENGTHS.line,
    description: 'Name of a document; may be empty',
  }),
  Duration,
  Id,
  ...scheduleFields,
})

export const mediaUrlRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/send/mediaurl', {
    ignoresUnknown: true,
    summary: 'Send a file that the gateway downloads',
    description:
      'Like the other sends of files, for clients that name the file by its link. The link must be reachable for the gateway.',
    example: {
      Jid: '5511999999999',
      Url: 'https://shop.example/picture.png',
      Type: 'image',
      Caption: 'Our shop',
      Filename: '',
    },
    body: MediaUrl,
    response: Sent,
    handle: async (request, { media, sender, targets }) =>
      sender.send('/send/mediaurl', request, () => contentOf(media.of(request.session.id), request.body), {
        chat: await targets.resolveChat(request.session, request.body.Jid, 'Jid'),
      }),
  }),
]

function contentOf(media: SendMedia, body: Static<typeof MediaUrl>) {
  const { Url, Type, Caption: caption, Filename, Duration: seconds } = body
  const given = { field: 'Url', file: Url, caption }
  if (Type === 'image') return imageOf(media, given)
  if (Type === 'video') return videoOf(media, given, { seconds })
  if (Type === 'sticker') return stickerOf(media, given)
  if (Type === 'document') return documentOf(media, given, { fileName: Filename || nameOf(Url) })
  return audioOf(media, given, Type === 'ptt' ? 'voice' : 'file', seconds)
}

function nameOf(url: string): string {
  const { pathname } = new URL(url)
  return querystring.unescape(pathname.split('/').at(-1) ?? '') || 'file'
}
