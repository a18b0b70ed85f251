import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, reply, T } from 'wamux/plugin'
import type { MediaLinks } from './links.ts'
import type { FileWords, StoredFiles } from './stored-files.ts'

type Deps = Pick<Kernel<unknown>, 'events'> &
  Pick<GatewayServices, 'attachments'> & { links: MediaLinks; storedFiles: StoredFiles }

/** For the address in the store that a valid link leads to. */
const REDIRECT_SECONDS = 60

export const routes = (r: RouteBuilder<Deps>) => [
  r.get('/media-store/:seq', {
    query: ['expires', 'signature'],
    summary: 'Download a stored file by the link of an event (`mediaUrl`)',
    description:
      'No token is needed: the link is signed and expires. A store that encrypts on its own is redirected to; a file that is not stored yet is fetched from the network.',
    access: 'public',
    errors: ['ITEM_UNKNOWN', 'FILE_EXPIRED'],
    response: T.Unknown({
      contentMediaType: 'application/octet-stream',
      description: 'The file, with its own type',
    }),
    async handle({ params, query }, { events, attachments, links, storedFiles }) {
      const seq = Number(params['seq'])
      const stored = Number.isSafeInteger(seq) ? await storedFiles.find(seq) : undefined
      const [event] = stored ? [stored] : Number.isSafeInteger(seq) ? await events.lines([seq]) : []
      if (!event || !links.isValid(event, query)) throw gatewayError('LINK_INVALID')
      if (stored) {
        const address = await storedFiles.linkTo(stored, REDIRECT_SECONDS)
        if (address) return reply('', { location: address, 'cache-control': 'no-store' }, 302)
        const data = await storedFiles.open(stored)
        if (data) return reply(data, headersOf(stored))
      }
      const [line] = await events.lines([seq])
      const file = line && (await attachments.open(line))
      if (!file) throw gatewayError('ITEM_UNKNOWN', ['File'])
      return reply(file.data, headersOf(file))
    },
  }),
]

/** Type and name come from the sender of the message: the file must not run as a page of the gateway. */
function headersOf({ mimeType, fileName }: FileWords): Record<string, string> {
  return {
    'content-type': /^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w-]+)*$/.test(mimeType)
      ? mimeType
      : 'application/octet-stream',
    'content-disposition': `attachment; filename="${fileName.replace(/[^\w.-]/g, '_')}"`,
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
  }
}
