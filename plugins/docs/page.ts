import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type Description, gatewayError, type Kernel, type Reply, reply } from 'wamux/plugin'
import { errorList, errorPage } from './error-pages.ts'
import { openApi } from './openapi.ts'
import { postman } from './postman.ts'
import { createSite, type Site } from './site.ts'
import { SUPPORT_DATE, supportHtml } from './support.ts'

/** @param isSiteThere whether the guides of the site can be read here */
const index = (isSiteThere: boolean): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>wamux interface</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>
#more { max-width: 1460px; margin: 0 auto; padding: 12px 20px 0; font: 14px sans-serif; }
#support { max-width: 1460px; margin: 0 auto; padding: 20px; font-family: sans-serif; font-size: 14px; }
#support table { border-collapse: collapse; }
#support th, #support td { border: 1px solid #ccc; padding: 4px 8px; text-align: left; }
</style>
</head>
<body>
<nav id="more">${isSiteThere ? '<a href="/docs/home">Guides</a> · ' : ''}<a href="/docs/errors">Errors</a></nav>
<div id="page"></div>
<section id="support">
<h2>Which apps show which messages</h2>
<p>A send that is answered with 200 was accepted by the network; not every app shows every message. Reports of others
as of ${SUPPORT_DATE}, not measured here.</p>
${supportHtml()}
</section>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/init.js"></script>
</body>
</html>
`

// Collapsed: with more than 150 open lines it renders only those in view, and a search in the page finds nothing.
const INIT = `SwaggerUIBundle({
  url: '/openapi.json', dom_id: '#page', deepLinking: true, docExpansion: 'none', tagsSorter: 'alpha', validatorUrl: null,
})
`

/** The page may load its own files only. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'

type Make = (describe: () => Description, site: Site) => Buffer | Promise<Buffer>

/** The files of Swagger UI that the page needs. */
const FILES: Readonly<Record<string, readonly [type: string, make: Make]>> = {
  'index.html': [HTML, async (_, site) => Buffer.from(index(await site.has('home')))],
  'init.js': [SCRIPT, () => Buffer.from(INIT)],
  'swagger-ui.css': [STYLE, () => shipped('swagger-ui.css')],
  'swagger-ui-bundle.js': [SCRIPT, () => shipped('swagger-ui-bundle.js')],
  'openapi.json': [JSON_TYPE, (describe) => Buffer.from(JSON.stringify(openApi(describe())))],
  'postman.json': [JSON_TYPE, (describe) => Buffer.from(JSON.stringify(postman(describe())))],
}

interface Pages {
  /** Rejects ROUTE_UNKNOWN for an unknown file. */
  get(name: string): Promise<Reply>
  /** A page below `/docs/`: of the built site, otherwise the gateway's own. Rejects ROUTE_UNKNOWN. */
  below(folder: string, name: string): Promise<Reply>
}

/**
 * Each file is built once. They need no token, so thousands of clients that request a megabyte without reading it must
 * share one copy.
 */
export function createPages(
  { describe }: Pick<Kernel<unknown>, 'describe'>,
  site: Site = createSite(),
): Pages {
  const made = new Map<string, Reply>()
  return {
    async below(folder, name) {
      const found = await site.get(`${folder}/${name}`)
      if (found) return found
      if (folder !== 'errors') throw gatewayError('ROUTE_UNKNOWN')
      return page(errorPage(name))
    },
    async get(name) {
      const known = made.get(name)
      if (known) return known
      const [type, make] = Object.hasOwn(FILES, name) ? (FILES[name] ?? []) : []
      if (!type || !make) {
        const found = await site.get(name)
        if (found) return found
        if (name === 'errors') return page(errorList())
        throw gatewayError('ROUTE_UNKNOWN')
      }
      const body = await make(describe, site)
      const built = reply(body, { 'Content-Type': type, 'Content-Security-Policy': POLICY })
      made.set(name, built)
      return built
    },
  }
}

function page(html: string): Reply {
  return reply(html, { 'Content-Type': HTML, 'Content-Security-Policy': POLICY })
}

/** Resolves the path only: importing the package would load the whole bundle into the gateway. */
function shipped(name: string): Promise<Buffer> {
  return readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`))
}
