import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, isAbsolute, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Assets, createAssets, gatewayError, type Kernel, type Reply, reply } from 'wamux/plugin'

export interface Pages {
  /**
   * The one document, for every address of the dashboard. Rejects DASHBOARD_UNBUILT.
   *
   * @param root path of the gateway: '' or `/wamux`
   */
  document(root: string): Promise<Reply>
  readonly assets: Assets
}

/** The document has no inline script or style, and nothing evaluates text as one. */
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

/** In a release next to the gateway's modules; in a checkout the output of the build, or of the start, from `web`. */
const FOLDERS = ['../../dashboard/', '../../build/dashboard/'].map((path) => new URL(path, import.meta.url))

export function createPages({ settings }: Pick<Kernel<unknown>, 'settings'>): Pages {
  let html: Promise<string> | undefined
  // Their names change with their content.
  const assets = createAssets({
    folders: FOLDERS.map((folder) => new URL('assets/', folder)),
    unbuilt: 'DASHBOARD_UNBUILT',
    headers: { 'Cache-Control': 'public, max-age=31536000, immutable' },
  })
  const tokenFile = escaped(tokenFileOf(settings.dataDir))

  /** With the files that it names: a build may replace them before a browser asks for them. */
  async function read(): Promise<string> {
    const text = await readFile(new URL('index.html', folderOfPages()), 'utf8')
    await assets.load()
    return text
  }

  return {
    async document(root) {
      html ??= read().catch((error: unknown) => {
        html = undefined
        throw error
      })
      // Its addresses are relative, so it also works under a proxy's path.
      const head = `<head>\n<base href="${root}/dashboard/">\n<meta name="wamux-token-file" content="${tokenFile}">`
      const text = (await html).replace('<head>', head)
      return reply(text, {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': POLICY,
        'Referrer-Policy': 'no-referrer',
        'X-Robots-Tag': 'noindex, nofollow',
      })
    },
    assets,
  }
}

/**
 * The file in which the start stores the admin token. Everybody may open the page, so it does not reveal the folder's
 * absolute path.
 */
function tokenFileOf(dataDir: string): string {
  const shown = isAbsolute(dataDir) ? ['…', basename(dataDir)] : ['.', ...join(dataDir).split(sep)]
  return [...shown, 'admin-token'].join('/')
}

function escaped(text: string): string {
  return text.replace(/[&"<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

function folderOfPages(): URL {
  const folder = FOLDERS.find((one) => existsSync(fileURLToPath(new URL('index.html', one))))
  if (!folder) throw gatewayError('DASHBOARD_UNBUILT')
  return folder
}
