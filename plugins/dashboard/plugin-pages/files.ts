import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { type Contribution, gatewayError, type Kernel, type Reply, reply } from 'wamux/plugin'
import type { PagesContribution } from './contract.ts'

export interface PluginFiles {
  /** Rejects ROUTE_UNKNOWN for an unknown plugin or file. */
  get(plugin: string, name: string): Promise<Reply>
  /** Logs faults in the contributions of plugins, at the start. */
  check(): Promise<void>
  /** The contributions of plugins. */
  all(): readonly Contribution<'pages'>[]
}

/** Pages load only files from their own gateway, and can't be framed by another site. */
const POLICY = [
  ...[
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
  ],
  ...["connect-src 'self'", "frame-ancestors 'self'", "base-uri 'none'", "form-action 'none'"],
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

async function faultOf({ folder, page }: PagesContribution): Promise<string | undefined> {
  if (!folder.pathname.endsWith('/')) return `its folder ${folder.href} must end with a slash`
  if (!page) return undefined
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)+$/.test(page.element))
    return `"${page.element}" can not be the name of a custom element: it needs a dash, and lower-case letters`
  const script = await stat(new URL(page.script, folder)).catch(() => undefined)
  return script?.isFile() ? undefined : `there is no file ${page.script} in its folder`
}

interface Made {
  readonly changed: number
  readonly reply: Reply
}

/** A changed file is read again. Clients that request it without reading the answer share one copy. */
export function createPluginFiles({
  contributions,
  log,
}: Pick<Kernel<unknown>, 'contributions' | 'log'>): PluginFiles {
  const made = new Map<string, Made>()
  return {
    all: () => contributions('pages'),
    async check() {
      for (const { plugin, value } of contributions('pages')) {
        const fault = await faultOf(value)
        if (fault) log.error({ of: plugin, err: new Error(fault) }, 'page of a plugin is not usable')
      }
    },
    async get(plugin, name) {
      const type = TYPES[extname(name)]
      const own = contributions('pages').find((one) => one.plugin === plugin)?.value
      // A single name, not a path: nothing outside the folder can be requested.
      if (!own || !type || !/^\w[\w.-]*$/.test(name)) throw gatewayError('ROUTE_UNKNOWN')
      const path = new URL(name, own.folder)
      const found = await stat(path).catch(() => undefined)
      if (!found?.isFile()) throw gatewayError('ROUTE_UNKNOWN')
      const known = made.get(path.href)
      if (known?.changed === found.mtimeMs) return known.reply
      const headers = { 'Content-Type': type, 'Content-Security-Policy': POLICY }
      const fresh = reply(await readFile(path), headers)
      made.set(path.href, { changed: found.mtimeMs, reply: fresh })
      return fresh
    },
  }
}
