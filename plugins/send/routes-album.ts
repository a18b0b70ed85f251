import { file, Id, Recipient, SAMPLES } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { itemsOf, sendAlbum } from './album.ts'
import { Caption } from './schemas.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'media' | 'sender' | 'targets'>

const Item = T.Object(
  { Image: T.Optional(file('A picture')), Video: T.Optional(file('A video')), Caption },
  { title: 'AlbumItem' },
)

export const albumRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/send/album', {
    summary: 'Send several pictures and videos as one album',
    description:
      'All files are checked before the first message is sent. With `Id` or an `Idempotency-Key` a repeated call sends only what is missing.',
    example: {
      Phone: '5511999999999',
      Items: [{ Image: SAMPLES.picture, Caption: 'Our shop' }, { Video: SAMPLES.video }],
    },
    body: T.Object({
      Phone: Recipient,
      Id,
      Items: T.Array(Item, { maxItems: 100, description: 'Two to a hundred, each with Image or Video' }),
    }),
    response: T.Object({
      Details: T.String(),
      Id: T.String({ description: 'Id of the message that announces the album' }),
      Timestamp: T.String({ description: 'When the network acknowledged that message, RFC 3339' }),
      Chat: T.String({ description: 'The chat that it was sent to' }),
      Items: T.Array(T.String(), { description: 'Ids of the messages with the files' }),
    }),
    async handle(request, { media, sender, targets }) {
      const chat = await targets.resolveChat(request.session, request.body.Phone)
      return sendAlbum(sender, request, chat, await itemsOf(media.of(request.session.id), request.body.Items))
    },
  }),
]
