import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { absolutePath } from 'swagger-ui-dist'
import { gatewayError, type Reply, reply } from 'wamux/plugin'
import { SUPPORT_DATE, supportHtml } from './support.ts'

const INDEX = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>wamux interface</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>
#support { max-width: 1460px; margin: 0 auto; padding: 20px; font-family: sans-serif; font-size: 14px; }
#support table { border-collapse: collapse; }
#support th, #support td { border: 1px solid #ccc; padding: 4px 8px; text-align: left; }
</style>
</head>
<body>
<div id="page"></div>
<section id="support">
<h2>Which messages are shown where</h2>
<p>A send that is answered with 200 was taken by the network; not every app shows every message. Reports of others
as of ${SUPPORT_DATE}, not measured here.</p>
${supportHtml()}
</section>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/init.js"></script>
</body>
</html>
`

const INIT = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#page', deepLinking: true, tagsSorter: 'alpha', validatorUrl: null })
`

/** What the page may load: its own files, and nothing from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"

const OWN: Readonly<Record<string, [body: string, type: string]>> = {
  'index.html': [INDEX, 'text/html; charset=utf-8'],
  'init.js': [INIT, 'text/javascript; charset=utf-8'],
}

/** Files of Swagger UI that the page needs; nothing else of its folder is served. */
const SHIPPED: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
}

export function page(body: string | Buffer, type: string): Reply {
  return reply(body, { 'Content-Type': type, 'Content-Security-Policy': POLICY })
}

export async function asset(name: string): Promise<Reply> {
  const own = OWN[name]
  if (own) return page(...own)
  const type = SHIPPED[name]
  if (!type) throw gatewayError('ROUTE_UNKNOWN')
  return page(await readFile(join(absolutePath(), name)), type)
}
