import { createHash, randomBytes, randomInt } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { noSnapshots, type Snapshots } from '../../snapshots.ts'
import { type Certificates, createCertificates } from '../transport/authority.ts'

/** Stores encrypted media. Serves https with a certificate of its own authority, since the real host never uses http. */
export interface MediaHost {
  /** `127.0.0.1:<port>` */
  readonly host: string
  /** The authority's certificate (PEM). */
  readonly ca: string
  store(kind: string, data: Buffer): { url: string; directPath: string }
  /** Stores a file at this path. */
  put(directPath: string, data: Buffer): void
  read(directPath: string): Buffer | undefined
  /** Whether `handle` was issued for the upload of a newsletter file. */
  isUpload(handle: string): boolean
  /** Whether `token` was issued for the upload of this cover photo. */
  isCoverPhoto(id: string, token: string): boolean
  /** Drops all stored files, as the real host does after a few weeks. */
  expire(): void
  view(): { files: number; bytes: number }
  close(): Promise<void>
}

const MAX_FILE_BYTES = 100 * 1024 * 1024
const MAX_TOTAL_BYTES = 512 * 1024 * 1024

export async function openMediaHost(
  port: number,
  profilePicture: (id: string) => Buffer | undefined,
  faults: () => { isMediaDown: boolean; refusesUploads: boolean },
  { slot, folder }: Pick<Snapshots, 'slot' | 'folder'> = noSnapshots,
): Promise<MediaHost> {
  const own = slot('media host', () => ({
    certificates: undefined as Certificates | undefined,
    port,
    handles: new Set<string>(),
    covers: new Map<string, string>(),
    expired: new Set<string>(),
  }))
  own.certificates ??= await createCertificates(['localhost', 'mmg.whatsapp.net'])
  const { ca, key, cert } = own.certificates
  const { handles, covers, expired } = own
  const files = openFiles(folder)
  const server = createServer({ key, cert }, (request, response) => {
    void answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port || own.port, '127.0.0.1', resolve)
  })
  own.port = (server.address() as AddressInfo).port
  const host = `127.0.0.1:${own.port}`

  const media: MediaHost = {
    host,
    ca,
    store(kind, data) {
      const directPath = `/v/${kind}/${randomBytes(16).toString('hex')}`
      files.set(directPath, data)
      return { url: `https://${host}${directPath}`, directPath }
    },
    put: (directPath, data) => void files.set(directPath, data),
    read: (directPath) => files.get(directPath.split('?')[0] ?? ''),
    isUpload: (handle) => handles.has(handle),
    isCoverPhoto: (id, token) => covers.get(id) === token,
    expire() {
      for (const path of files.keys()) expired.add(path)
      files.clear()
    },
    view: () => ({ files: files.size, bytes: files.calculatedSize }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }

  function issueCover(): { fbid: string; meta_hmac: string; ts: number } {
    const fbid = String(randomInt(1e14, 2e14))
    const token = randomBytes(16).toString('hex')
    covers.set(fbid, token)
    return { fbid, meta_hmac: token, ts: Math.floor(Date.now() / 1000) }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (faults().isMediaDown || (request.method === 'POST' && faults().refusesUploads)) {
      response.writeHead(503).end()
      return
    }
    const path = (request.url ?? '').split('?')[0] ?? ''
    if (request.method === 'GET') {
      const [, size, id = ''] = /^\/(profile|preview)\/(\w+)$/.exec(path) ?? []
      const whole = size ? profilePicture(id) : media.read(path)
      const data = whole && size === 'preview' ? await previewOf(whole) : whole
      if (data) response.writeHead(200, { 'content-length': data.length }).end(data)
      else response.writeHead(expired.has(path) ? 410 : 404).end()
      return
    }
    const upload = /^\/(?:mms|product|newsletter|pps)\/([\w-]+)\/([\w-]+)/.exec(path)
    const data = upload ? await readAll(request) : undefined
    if (!upload || !data) {
      response.writeHead(upload ? 413 : 404).end()
      return
    }
    // The path contains the hash of the ciphertext; the body must match it.
    const [, kind = '', token = ''] = upload
    if (createHash('sha256').update(data).digest('base64url') !== token.replaceAll('=', '')) {
      response.writeHead(400).end('hash mismatch')
      return
    }
    const cover = kind === 'biz-cover-photo' ? issueCover() : undefined
    const { url, directPath } = media.store(kind, data)
    if (cover) media.put(coverPath(cover.fbid), data)
    // Newsletter posts refer to their files by this handle.
    const handle = path.startsWith('/newsletter/') ? randomBytes(16).toString('hex') : undefined
    if (handle) handles.add(handle)
    const body = JSON.stringify({ url, direct_path: directPath, handle, ...cover })
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  }
  return media
}

/** Where the file of an uploaded cover photo is. */
export function coverPath(id: string): string {
  return `/v/biz-cover-photo/${id}`
}

/** The files by path. With a folder they are also written to disk, before the upload is answered. */
function openFiles(folder: string | undefined): LRUCache<string, Buffer> {
  const place = folder && join(folder, 'media')
  const fileOf = (path: string): string => join(place ?? '', encodeURIComponent(path))
  const files = new LRUCache<string, Buffer>({
    maxSize: MAX_TOTAL_BYTES,
    sizeCalculation: (data) => data.length || 1,
    ...(place ? { dispose: (_: Buffer, path: string) => rmSync(fileOf(path), { force: true }) } : {}),
  })
  if (!place) return files
  mkdirSync(place, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(place)) files.set(decodeURIComponent(name), readFileSync(join(place, name)))
  const set = files.set.bind(files)
  files.set = (path, data, options) => {
    if (data) writeFileSync(fileOf(path), data, { mode: 0o600, flush: true })
    return set(path, data, options)
  }
  return files
}

const PREVIEW_PIXELS = 96

/** The thumbnail of a picture; the picture itself if it can't be decoded. */
async function previewOf(picture: Buffer): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  return sharp(picture)
    .resize(PREVIEW_PIXELS, PREVIEW_PIXELS, { fit: 'cover', withoutEnlargement: true })
    .jpeg()
    .toBuffer()
    .catch(() => picture)
}

async function readAll(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > MAX_FILE_BYTES) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}
