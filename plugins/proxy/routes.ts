import { gatewayError, type Kernel, type RouteBuilder, type Session, T } from 'wamux/plugin'
import { DIRECT, parseProxy, shownProxy } from './address.ts'
import type { Proxies } from './proxies.ts'

type Deps = Kernel<unknown> & { proxies: Proxies }

const Shown = T.Object({
  URL: T.String({ description: 'Without its password; `direct` without a proxy' }),
  Source: T.Enum(['session', 'gateway', 'none'], {
    description: 'Source of the setting: the session, the gateway (`proxy.url`), or none',
  }),
})

export const routes = (r: RouteBuilder<Deps>) => [
  r.get('/session/proxy', {
    summary: 'Read the proxy of the session',
    access: 'token',
    scope: 'manage',
    response: Shown,
    handle: ({ session }, { proxies }) => shown(proxies, session.id),
  }),
  r.post('/session/proxy', {
    leaves: [],
    summary: 'Connect the session through a proxy',
    description:
      'WebSocket, uploads, downloads and history use only the proxy: while it is down, so is the session. First it must open a connection, unless `Check` is false. A connected session reconnects.',
    example: { URL: 'socks5://user:password@proxy.example:1080' },
    errors: ['PROXY_FAILED'],
    access: 'token',
    audit: 'session.proxy',
    body: T.Object({
      URL: T.String({
        minLength: 1,
        format: 'link',
        description: '`http://`, `https://` or `socks5://`, or `direct` to use none, whatever `proxy.url` is',
        examples: ['socks5://user:password@proxy.example:1080'],
      }),
      Check: T.Optional(T.Boolean({ description: 'Open a connection through it first (default true)' })),
    }),
    response: Shown,
    async handle({ body: { URL: url, Check: isChecked = true }, session }, deps) {
      const { proxies } = deps
      if (url !== DIRECT) {
        parseProxy(url, 'URL')
        if (isChecked) await proxies.check(url)
      }
      await proxies.store(session.id, url)
      await reconnect(deps, session)
      return shown(proxies, session.id)
    },
  }),
  r.delete('/session/proxy', {
    leaves: [],
    summary: 'Remove the proxy of the session',
    description: "It then connects through the gateway's proxy again, or directly.",
    access: 'token',
    audit: 'session.proxy.remove',
    response: Shown,
    async handle({ session }, deps) {
      const { source } = await deps.proxies.find(session.id)
      if (source !== 'session') throw gatewayError('ITEM_UNKNOWN', ['Proxy'])
      await deps.proxies.remove(session.id)
      await reconnect(deps, session)
      return shown(deps.proxies, session.id)
    },
  }),
]

async function shown(proxies: Proxies, session: string) {
  const { url, source } = await proxies.find(session)
  return { URL: shownProxy(url), Source: source }
}

/** An open or opening link still uses the old proxy. */
async function reconnect({ sessions }: Deps, { id, state }: Session): Promise<void> {
  if (!HAS_CLIENT.has(state)) return
  await sessions.disconnect(id)
  await sessions.connect(id, { wait: false })
}

const HAS_CLIENT: ReadonlySet<Session['state']> = new Set([
  'connecting',
  'scan',
  'code',
  'passkey',
  'passkey-confirm',
  'open',
  'waiting',
])
