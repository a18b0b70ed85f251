import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { gatewayError, type Reply, reply } from 'wamux/plugin'

export interface Pages {
  /**
   * The one document, for every address of the dashboard. Rejects DASHBOARD_UNBUILT.
   *
   * @param root path of the gateway: '' or `/wamux`
   */
  document(root: string): Promise<Reply>
  /** Rejects ROUTE_UNKNOWN. */
  asset(name: string, acceptedEncodings: string): Promise<Reply>
}

/** No script or style stands in the document, and nothing makes one of a text. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

interface Asset {
  readonly type: string
  readonly plain: Buffer
  readonly packed: Buffer
}

/** Each file is read once: all clients share one copy. Their names change with their content. */
export function createPages(): Pages {
  const assets = new Map<string, Promise<Asset>>()
  let html: Promise<string> | undefined
  let names: Promise<Set<string>> | undefined

  return {
    async document(root) {
      const folder = folderOfPages()
      html ??= readFile(new URL('index.html', folder), 'utf8')
      // Addresses in it are relative, so that it also works below a path of a proxy.
      const text = (await html).replace('<head>', `<head>\n<base href="${root}/dashboard/">`)
      return reply(text, {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': POLICY,
        'Referrer-Policy': 'no-referrer',
        'X-Robots-Tag': 'noindex, nofollow',
      })
    },
    async asset(name, acceptedEncodings) {
      const folder = new URL('assets/', folderOfPages())
      names ??= readdir(folder).then((list) => new Set(list))
      const type = TYPES[name.split('.').at(-1) ?? '']
      if (!type || !(await names).has(name)) throw gatewayError('ROUTE_UNKNOWN')
      const asset = assets.get(name) ?? load(new URL(name, folder), type)
      assets.set(name, asset)
      const { plain, packed } = await asset
      const isPacked = /\bgzip\b/.test(acceptedEncodings)
      return reply(isPacked ? packed : plain, {
        'Content-Type': type,
        'Cache-Control': 'public, max-age=31536000, immutable',
        Vary: 'Accept-Encoding',
        ...(isPacked ? { 'Content-Encoding': 'gzip' } : {}),
      })
    },
  }
}

/** In a release beside the gateway's modules; in a checkout what the build, or the start, has made of `web`. */
function folderOfPages(): URL {
  const folders = ['../../dashboard/', '../../build/dashboard/'].map((path) => new URL(path, import.meta.url))
  const folder = folders.find((one) => existsSync(fileURLToPath(new URL('index.html', one))))
  if (!folder) throw gatewayError('DASHBOARD_UNBUILT')
  return folder
}

async function load(file: URL, type: string): Promise<Asset> {
  const plain = await readFile(file)
  return { type, plain, packed: await promisify(gzip)(plain) }
}
