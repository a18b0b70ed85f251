import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, reply, T } from 'wamux/plugin'
import type { MessagesConfig } from './config.ts'
import { filePartOf } from './media/file-part.ts'
import type { Links } from './media/links.ts'
import type { FileKind, ReceivedFiles } from './media/received-files.ts'
import { messageOf } from './message-key.ts'

type Deps = Kernel<MessagesConfig> &
  Pick<GatewayServices, 'targets'> & { links: Links; receivedFiles: ReceivedFiles }

const Words = T.Optional(T.String())
const Hash = (of: string) => T.String({ minLength: 1, description: `SHA-256 of ${of}, base64` })

/** Address, key and hashes as an event `Message` has them. */
const FILE = {
  Url: 'https://mmg.whatsapp.net/v/t62.7118-24/31415926_2718281828459045_n.enc',
  MediaKey: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  FileEncSHA256: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  FileSHA256: '4iwO+kT7SfRIRNXlmgo3ikvYKj5LjGhXK5Jpiqrc8jE=',
  Mimetype: 'image/jpeg',
}

const KINDS = ['image', 'video', 'audio', 'document'] as const satisfies readonly FileKind[]

/** Files: by location and key from an event, or by the link in an event. */
export const mediaRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  ...KINDS.map((kind) =>
    r.post(`/message/download${kind}`, {
      summary: `Download and decrypt the file of a ${kind} message`,
      scope: 'read',
      description:
        "All fields as in the event. Only the network's media hosts are contacted and, with Id, the account's own phone.",
      example: FILE,
      errors: ['FILE_EXPIRED'],
      body: T.Object({
        Url: Words,
        DirectPath: Words,
        MediaKey: T.String({ minLength: 1, description: 'Base64' }),
        Mimetype: Words,
        FileEncSHA256: Hash('the encrypted file'),
        FileSHA256: Hash('the file'),
        FileLength: T.Optional(T.Integer({ minimum: 0 })),
        Id: T.Optional(
          T.String({
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
      async handle({ body, session }, { receivedFiles, targets, config }) {
        if (!body.Url && !body.DirectPath) throw gatewayError('FIELD_MISSING', ['Url'])
        const file = {
          url: body.Url,
          directPath: body.DirectPath,
          mediaKey: bytes('MediaKey', body.MediaKey),
          fileEncSha256: bytes('FileEncSHA256', body.FileEncSHA256),
          fileSha256: bytes('FileSHA256', body.FileSHA256),
        }
        const message = await messageOf(session, {
          id: body.Id,
          chat: body.Chat && (await targets.resolveChat(session, body.Chat, 'Chat')),
          author: body.Sender && (await targets.resolveUser(session, body.Sender, 'Sender')),
          isFromMe: body.IsFromMe ?? false,
        })
        const data = await receivedFiles.fetch(session.id, { kind, file, message }, config.fileBytes)
        const mimetype = body.Mimetype || 'application/octet-stream'
        return { Mimetype: mimetype, Data: `data:${mimetype};base64,${data.toString('base64')}` }
      },
    }),
  ),
  r.get('/media/:seq', {
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
        // Type and name come from the sender of the message: the file must not run as a page of the gateway.
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

function bytes(field: string, text: string): Buffer {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) throw gatewayError('BASE64_INVALID', [field])
  return Buffer.from(text, 'base64')
}
