import { createReadStream, existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Reply, reply } from 'wamux/plugin'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** VitePress puts two small scripts and styles into each page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Beside the plugin's own files in a clone; `npm run site` makes it. */
const IN_CLONE = new URL('./site/dist/', import.meta.url)

/** The built documentation, if it is there. */
export interface Site {
  /** A page by its address below `/docs/`, or another file; undefined if the site does not have it. */
  get(path: string): Promise<Reply | undefined>
  has(path: string): Promise<boolean>
}

/** @param folder of the built site; by default that of `@wamux/site`, if it is installed */
export function createSite(folder = folderOfSite()): Site {
  let files: Promise<Set<string>> | undefined
  const find = async (path: string): Promise<string | undefined> => {
    if (!folder) return undefined
    files ??= filesIn(folder)
    const known = await files
    return [path, `${path}.html`, `${path}/index.html`].find((name) => known.has(name))
  }
  return {
    has: async (path) => (await find(path)) !== undefined,
    async get(path) {
      const name = await find(path)
      const type = TYPES[extname(name ?? '')]
      if (!folder || !name || !type) return undefined
      const file = join(folder, name)
      const { size } = await stat(file)
      // Streamed: many slow clients must not hold copies of it.
      return reply(createReadStream(file), {
        'Content-Type': type,
        'Content-Length': String(size),
        'Content-Security-Policy': POLICY,
        // Names of these change with their content.
        'Cache-Control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      })
    },
  }
}

function folderOfSite(): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@wamux/site/package.json')), 'dist')
  } catch {
    return existsSync(IN_CLONE) ? fileURLToPath(IN_CLONE) : undefined
  }
}

async function filesIn(folder: string): Promise<Set<string>> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true })
  return new Set(
    all
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/')),
  )
}
