import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { SourceFault } from '../faults/network-faults.ts'
import type { NetworkState } from '../state.ts'
import { revisionOf } from './client-version.ts'

/** Names of the field with the revision. */
const FIELD = 'client_revision'
const RENAMED = 'web_build'
const BROWSER = /^Mozilla\/5\.0 /

/**
 * The web site of WhatsApp Web, on the port of the WebSocket: the service worker and the page, which both contain the revision
 * of the build. Like the real site, it answers 400 to anything but a browser: the service worker requires
 * `Sec-Fetch-Site: none`, the page the headers of a navigation.
 */
export function serveWebSite(state: NetworkState) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { networkWide } = state.faults
    if (networkWide.isDown) return void request.socket.destroy()
    if (networkWide.isSilent) return undefined
    const path = (request.url ?? '').split('?')[0]
    if (request.method !== 'GET' || (path !== '/sw.js' && path !== '/')) return answer(response, 404, '')
    const isWorker = path === '/sw.js'
    state.counters[isWorker ? 'serviceWorkers' : 'pages'] += 1
    const fault = isWorker ? networkWide.serviceWorker : networkWide.page
    if (fault?.isSilent) return undefined
    if (fault?.code) return answer(response, fault.code, '')
    if (!isAsked(request.headers, isWorker ? WORKER : NAVIGATION)) return answer(response, 400, '')
    const text = isWorker ? serviceWorker : page
    return answer(response, 200, text(fault?.revision ?? revisionOf(state), fieldOf(fault)), isWorker)
  }
}

type Headers = Readonly<Record<string, string>>

const WORKER: Headers = { 'sec-fetch-site': 'none' }
const NAVIGATION: Headers = {
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
  'sec-fetch-user': '?1',
}

function isAsked(headers: IncomingHttpHeaders, expected: Headers): boolean {
  const isBrowser = BROWSER.test(headers['user-agent'] ?? '') && headers.cookie === undefined
  return isBrowser && Object.entries(expected).every(([name, value]) => headers[name] === value)
}

function fieldOf(fault: SourceFault | undefined): string {
  return fault?.isRenamed ? RENAMED : FIELD
}

/** The data is JSON in a JavaScript string. */
function serviceWorker(revision: number, field: string): string {
  const data = JSON.stringify({ server_revision: revision, [field]: revision, push_phase: 'C3', tier: '' })
  return `/*FB_PKG_DELIM*/\nself.__swData=JSON.parse(${JSON.stringify(data)});\nself.addEventListener("install",function(e){e.waitUntil(self.skipWaiting())});\n`
}

function page(revision: number, field: string): string {
  const data = JSON.stringify({ SiteData: { server_revision: revision, [field]: revision, tier: '' } })
  return `<!DOCTYPE html><html><head><title>WhatsApp Web</title><script type="application/json">${data}</script></head><body></body></html>`
}

function answer(response: ServerResponse, code: number, text: string, isScript = false): void {
  const type = isScript ? 'application/javascript; charset=utf-8' : 'text/html; charset=utf-8'
  response.writeHead(code, { 'content-type': type }).end(text)
}
