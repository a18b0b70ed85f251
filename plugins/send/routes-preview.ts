import type { proto } from '@whiskeysockets/baileys'
import { file, LENGTHS, SAMPLES, Sent, sendFields } from 'wamux/messaging'
import {
  type GatewayServices,
  gatewayError,
  type Kernel,
  type LiveSession,
  type RouteBuilder,
  T,
} from 'wamux/plugin'
import { imageOf, type SendMedia } from './files.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'media' | 'sender' | 'targets'>

const MatchedURL = T.String({
  minLength: 1,
  maxLength: LENGTHS.url,
  leaves: 'nothing',
  aliases: ['MatchedText', 'Url'],
  description: 'The link; appended to the text if it is not part of it',
})

const previewFields = {
  ...sendFields,
  Text: T.String({
    minLength: 1,
    maxLength: LENGTHS.text,
    aliases: ['Body', 'Message'],
    description: 'The text',
  }),
  MatchedURL,
  Title: T.String({ minLength: 1, maxLength: LENGTHS.line, description: 'Heading of the preview' }),
  Description: T.String({
    allowEmpty: true,
    maxLength: LENGTHS.line,
    description: 'Line below the heading; may be empty',
  }),
  Image: file('Picture of the preview'),
}

const example = {
  Phone: '5511999999999',
  Text: 'See https://shop.example',
  MatchedURL: 'https://shop.example',
  Title: 'Bakery',
  Description: 'Bread and cakes',
  Image: SAMPLES.picture,
}

export const previewRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/send/preview', {
    ignoresUnknown: true,
    summary: 'Send a link with a small preview',
    description:
      'Shows the given title, description and small picture above the text; the page itself is not read.',
    example,
    body: T.Object(previewFields),
    response: Sent,
    handle: (request, { media, sender }) =>
      sender.send('/send/preview', request, async () => {
        const { thumbnail } = await media.of(request.session.id).image('Image', request.body.Image)
        return asText({ ...previewOf(request.body), jpegThumbnail: thumbnail })
      }),
  }),
  r.post('/send/preview2', {
    ignoresUnknown: true,
    summary: 'Send a link with a large preview',
    description: 'Like `POST /send/preview`, with a large picture.',
    example,
    body: T.Object(previewFields),
    response: Sent,
    handle: (request, { media, sender, targets }) =>
      sender.send('/send/preview2', request, async () => {
        const { session, body } = request
        const chat = await targets.resolveChat(session, body.Phone)
        return asText({
          ...previewOf(body),
          ...(await largeThumbnail(session, chat, media.of(session.id), body.Image)),
        })
      }),
  }),
  r.post('/send/groupinvite', {
    ignoresUnknown: true,
    summary: 'Send the invite link of a group with a preview',
    description: '`MatchedText` is the link of the group, from `POST /group/invitelink`.',
    example: {
      Phone: '5511999999999',
      Text: 'Join us',
      MatchedText: 'https://chat.whatsapp.com/HfKQ5PmU3DmBDJvL0XzWrC',
      Title: 'Team',
    },
    body: T.Object({
      ...sendFields,
      Text: previewFields.Text,
      MatchedText: T.String({
        minLength: 1,
        maxLength: LENGTHS.url,
        aliases: ['MatchedURL'],
        description: 'The link, https://chat.whatsapp.com/…; appended to the text if it is not part of it',
      }),
      Title: T.String({ minLength: 1, maxLength: LENGTHS.line, description: 'Name of the group' }),
      Image: T.Optional(file('Its picture')),
    }),
    response: Sent,
    handle: (request, { media, sender }) =>
      sender.send('/send/groupinvite', request, async () => {
        const { Text, MatchedText, Title, Image } = request.body
        if (!/^(https?:\/\/)?chat\.whatsapp\.com\/\w+/i.test(MatchedText))
          throw gatewayError('FIELD_INVALID', ['MatchedText', 'must be a link to chat.whatsapp.com'])
        const thumbnail = Image
          ? { jpegThumbnail: (await media.of(request.session.id).image('Image', Image)).thumbnail }
          : {}
        const preview = previewOf({ Text, MatchedURL: MatchedText, Title, Description: '' })
        return asText({ ...preview, inviteLinkGroupTypeV2: DEFAULT_GROUP, ...thumbnail })
      }),
  }),
]

/** Proto value of an ordinary group. */
const DEFAULT_GROUP = 0

interface Preview {
  Text: string
  MatchedURL: string
  Title: string
  Description: string
}

function previewOf({
  Text,
  MatchedURL: link,
  Title,
  Description,
}: Preview): proto.Message.IExtendedTextMessage {
  // Phones show a preview only for a link in the text.
  const text = Text.includes(link) ? Text : `${Text}\n${link}`
  return { text, matchedText: link, title: Title, description: Description, previewType: 0 }
}

function asText(extendedTextMessage: proto.Message.IExtendedTextMessage): { proto: proto.IMessage } {
  return { proto: { extendedTextMessage } }
}

/** The picture as an uploaded file, with a small inline version shown until it is downloaded. */
async function largeThumbnail(
  session: LiveSession,
  chat: string,
  media: SendMedia,
  image: string,
): Promise<proto.Message.IExtendedTextMessage> {
  const content = await imageOf(media, { field: 'Image', file: image })
  const { imageMessage } = await session.socket.upload(chat, content, 'thumbnail-link')
  const { directPath, mediaKey, mediaKeyTimestamp, fileSha256, fileEncSha256, width, height, jpegThumbnail } =
    imageMessage ?? {}
  return given({
    jpegThumbnail,
    thumbnailDirectPath: directPath,
    mediaKey,
    mediaKeyTimestamp,
    thumbnailSha256: fileSha256,
    thumbnailEncSha256: fileEncSha256,
    thumbnailWidth: width,
    thumbnailHeight: height,
  })
}

function given<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}
