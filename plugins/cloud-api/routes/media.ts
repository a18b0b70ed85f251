import {
  type GatewayServices,
  gatewayAddress,
  gatewayError,
  type Kernel,
  type LogEvent,
  type RouteBuilder,
  type RouteRequest,
  reply,
  type Session,
  type Viewer,
} from 'wamux/plugin'
import type { CloudConfig } from '../config.ts'
import { GRAPH, ROOT } from '../graph/dialect.ts'
import { Graph } from '../graph/graph-error.ts'
import { assertOwn } from '../graph/number-id.ts'
import { type CloudMediaStore, EVENT_ID } from '../store/media-store.ts'

export interface MediaDeps
  extends Kernel<CloudConfig>,
    Pick<GatewayServices, 'attachments' | 'sessionSettings'> {
  mediaStore: CloudMediaStore
  publicAddress?: GatewayServices['publicAddress'] | undefined
}

export const mediaRoutes = <D extends MediaDeps>(r: RouteBuilder<D>) => [
  r.post(`${ROOT}/:id/media`, {
    ...GRAPH,
    leaves: [],
    summary: 'Cloud API: upload a file',
    description:
      'Fields `messaging_product`, `type` (MIME type) and `file`. Messages name the file by the id in the answer.',
    access: 'token',
    scope: 'send',
    isFiltered: true,
    upload: 'multipart/form-data',
    errors: ['CLOUD_OBJECT_UNKNOWN', 'FIELD_MISSING', 'BODY_TOO_LARGE', 'BODY_UNREADABLE', 'BUSY'],
    response: Graph('`id` of the file'),
    async handle({ session, viewer, params, form }, { config, mediaStore, sessionSettings }) {
      assertOwn(session, params['id'], sessionSettings)
      const fields = await form(config.uploadBytes)
      const file = fields.get('file')
      if (!(file instanceof File)) throw gatewayError('FIELD_MISSING', ['file'])
      if (file.size === 0) throw gatewayError('MEDIA_UNSUPPORTED', ['file', 'the file is empty'])
      // Some clients send the kind of message instead.
      const given = String(fields.get('type') ?? '')
      const type = (given.includes('/') ? given : file.type) || 'application/octet-stream'
      const bytes = Buffer.from(await file.arrayBuffer())
      return { id: await mediaStore.add(session.id, { bytes, type, name: file.name }, viewer) }
    },
  }),
  r.get(`${ROOT}/:id/content`, {
    ...GRAPH,
    summary: 'Cloud API: download a file',
    description: 'The target of the `url` of a file, with the same token as the other calls.',
    access: 'token',
    isFiltered: true,
    errors: ['CLOUD_OBJECT_UNKNOWN', 'CLOUD_MEDIA_FAILED'],
    response: Graph('The file, with its own type'),
    async handle({ session, viewer, params }, deps) {
      const id = params['id'] ?? ''
      const event = await findEvent(deps, session, viewer, id)
      if (event) return received(deps, event)
      const head = await deps.mediaStore.head(session.id, id, viewer)
      if (!head) throw gatewayError('CLOUD_OBJECT_UNKNOWN', [id])
      return fileReply(await deps.mediaStore.bytes(session.id, id), head.type)
    },
  }),
  r.delete(`${ROOT}/:id`, {
    ...GRAPH,
    leaves: [],
    summary: 'Cloud API: delete an uploaded file',
    description: 'Received files stay as long as their events.',
    access: 'token',
    scope: 'send',
    isFiltered: true,
    errors: ['CLOUD_OBJECT_UNKNOWN'],
    response: Graph('`success`'),
    async handle({ session, viewer, params }, { mediaStore }) {
      const id = params['id'] ?? ''
      if (!(await mediaStore.remove(session.id, id, viewer))) throw gatewayError('CLOUD_OBJECT_UNKNOWN', [id])
      return { success: true }
    },
  }),
]

type Request = Pick<RouteRequest<undefined, 'token'>, 'session' | 'viewer' | 'params' | 'header'>

/** Address, type, hash and size of a file; undefined for an unknown id. */
export async function mediaView(
  { session, viewer, params, header }: Request,
  deps: MediaDeps,
): Promise<Record<string, unknown> | undefined> {
  const id = params['id'] ?? ''
  const { base } = gatewayAddress(deps.publicAddress?.url ?? '', header)
  const url = `${base}/v${params['version']}/${id}/content`
  const fields = { messaging_product: 'whatsapp', id, url }
  const event = await findEvent(deps, session, viewer, id)
  const head = event ? headOf(event) : await deps.mediaStore.head(session.id, id, viewer)
  return head && { ...fields, mime_type: head.type, sha256: head.sha256, file_size: head.size }
}

/** The event of a received file. */
async function findEvent(
  { events }: MediaDeps,
  session: Session,
  viewer: Viewer,
  id: string,
): Promise<LogEvent | undefined> {
  const event = EVENT_ID.test(id) ? await events.find(id, viewer) : undefined
  return event?.session === session.id && event.type === 'Message' ? event : undefined
}

function headOf({ body }: LogEvent): { type: string; sha256: string; size: number } | undefined {
  const { Message = {} } = body['event'] as { Message?: Record<string, Record<string, unknown>> }
  const part = Object.values(Message).find((one) => one?.['mediaKey'])
  if (!part) return undefined
  return {
    type: String(part['mimetype'] || 'application/octet-stream'),
    sha256: Buffer.from(String(part['fileSHA256'] ?? ''), 'base64').toString('hex'),
    size: Number(part['fileLength'] ?? 0),
  }
}

async function received({ attachments }: MediaDeps, event: LogEvent) {
  const { base64, mediaUrl, mediaError, mimeType = '' } = await attachments.attach(event)
  if (base64) return fileReply(Buffer.from(base64, 'base64'), mimeType)
  // A large file has its own signed link.
  if (mediaUrl) return reply('', { location: mediaUrl }, 302)
  throw gatewayError('CLOUD_MEDIA_FAILED', [event.id, mediaError ?? 'the message has no file'])
}

/** The type comes from others: the file must not run as a page of the gateway. */
function fileReply(bytes: Buffer, type: string) {
  return reply(bytes, {
    'content-type': /^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w-]+)*$/.test(type) ? type : 'application/octet-stream',
    'content-disposition': 'attachment',
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
  })
}
