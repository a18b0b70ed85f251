import { RECEIVED_SAMPLES } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, reply, T } from 'wamux/plugin'
import type { MessagesConfig } from './config.ts'
import { filePartOf } from './media/file-part.ts'
import type { FileLinks } from './media/links.ts'
import type { ReceivedFileKind, ReceivedFiles } from './media/received-files.ts'
import { messageOf } from './message-key.ts'

type Deps = Kernel<MessagesConfig> &
  Pick<GatewayServices, 'targets'> & { links: FileLinks; receivedFiles: ReceivedFiles }

/** Only hosts of the network are requested. */
const Address = T.Optional(T.String({ format: 'link', leaves: 'nothing' }))
const Hash = (of: string) =>
  T.String({ minLength: 1, maxLength: 128, description: `SHA-256 of ${of}, base64` })

const KINDS = ['image', 'video', 'audio', 'document'] as const satisfies readonly ReceivedFileKind[]

/** Files: by location and key from an event, or by the link in an event. */
export const mediaRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  ...KINDS.map((kind) =>
    r.post(`/message/download${kind}`, {
      ignoresUnknown: true,
      summary: `Download and decrypt a received ${kind} file`,
      scope: 'read',
      description:
        "All fields as in the event. Only the network's media hosts are contacted and, with Id, the account's own phone.",
      example: exampleOf(kind),
      errors: ['FILE_EXPIRED'],
      body: T.Object({
        Url: Address,
        DirectPath: Address,
        MediaKey: T.String({ minLength: 1, maxLength: 128, description: 'Base64' }),
        Mimetype: T.Optional(T.String({ format: 'name' })),
        FileEncSHA256: Hash('the encrypted file'),
        FileSHA256: Hash('the file'),
        FileLength: T.Optional(T.Integer({ minimum: 0 })),
        Id: T.Optional(
          T.String({
            format: 'id',
            description: 'Message id: if the file has expired, the phone is asked to upload it again',
          }),
        ),
        Chat: T.Optional(
          T.String({ format: 'phone', description: 'Chat of the message, if it is not stored here' }),
        ),
        Sender: T.Optional(
          T.String({
            format: 'phone',
            names: 'author',
            description: 'Sender of the message in a group, if it is not stored here',
          }),
        ),
        IsFromMe: T.Optional(
          T.Boolean({ description: 'Whether it is your own message, if it is not stored here' }),
        ),
      }),
      response: T.Object({ Mimetype: T.String(), Data: T.String({ description: 'Data URL' }) }),
      async handle({ body, session, viewer }, { receivedFiles, targets, config }) {
        if (!body.Url && !body.DirectPath) throw gatewayError('FIELD_MISSING', ['Url'])
        const file = {
          url: body.Url,
          directPath: body.DirectPath,
          mediaKey: bytes('MediaKey', body.MediaKey),
          fileEncSha256: bytes('FileEncSHA256', body.FileEncSHA256),
          fileSha256: bytes('FileSHA256', body.FileSHA256),
        }
        const asked = {
          id: body.Id,
          chat: body.Chat && (await targets.resolveChat(session, body.Chat, 'Chat')),
          author: body.Sender && (await targets.resolveUser(session, body.Sender, 'Sender')),
          isFromMe: body.IsFromMe ?? false,
        }
        const message = await messageOf({ session, viewer }, asked)
        const data = await receivedFiles.fetch(session.id, { kind, file, message }, config.fileBytes)
        const mimetype = body.Mimetype || 'application/octet-stream'
        return { Mimetype: mimetype, Data: `data:${mimetype};base64,${data.toString('base64')}` }
      },
    }),
  ),
  r.get('/media/:seq', {
    query: ['expires', 'signature'],
    summary: 'Download a file by the link of an event (`mediaUrl`)',
    description: 'No token is needed: the link is signed and expires.',
    access: 'public',
    errors: ['TOKEN_INVALID', 'ITEM_UNKNOWN', 'FILE_EXPIRED'],
    response: T.Unknown({
      contentMediaType: 'application/octet-stream',
      description: 'The file, with its own type',
    }),
    async handle({ params, query }, { links, receivedFiles, config }) {
      const { body, session } = await links.follow(params['seq'] ?? '', query)
      const part = filePartOf(body)
      if (!part) throw gatewayError('ITEM_UNKNOWN', ['File'])
      const data = await receivedFiles.fetch(session, part, config.fileBytes)
      return reply(data, {
        // Type and name come from the message's sender: the file must not run as a page of the gateway.
        'content-type': /^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w-]+)*$/.test(part.mimeType)
          ? part.mimeType
          : 'application/octet-stream',
        'content-disposition': `attachment; filename="${part.fileName.replace(/[^\w.-]/g, '_')}"`,
        'content-security-policy': 'sandbox',
        'x-content-type-options': 'nosniff',
      })
    },
  }),
]

/** Address, key and hashes as in an event `Message`. */
function exampleOf(kind: (typeof KINDS)[number]) {
  const { path, mediaKey, encSha256, sha256, mimetype } = RECEIVED_SAMPLES[kind]
  return {
    Url: `https://mmg.whatsapp.net${path}`,
    MediaKey: mediaKey,
    FileEncSHA256: encSha256,
    FileSHA256: sha256,
    Mimetype: mimetype,
  }
}

function bytes(field: string, text: string): Buffer {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) throw gatewayError('BASE64_INVALID', [field])
  return Buffer.from(text, 'base64')
}
