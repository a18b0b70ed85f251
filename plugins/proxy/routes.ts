import { gatewayError, type Kernel, type RouteBuilder, type Session, T } from 'wamux/plugin'
import { DIRECT, parseProxy, shownProxy } from './address.ts'
import type { Proxies } from './proxies.ts'

type Deps = Kernel<unknown> & { proxies: Proxies }

const Shown = T.Object({
  URL: T.String({ description: 'Without its password; `direct` without a proxy' }),
  Source: T.Enum(['session', 'gateway', 'none'], {
    description: 'Whose setting it is: of the session, of the gateway (`proxy.url`), or none',
  }),
})

export const routes = (r: RouteBuilder<Deps>) => [
  r.get('/session/proxy', {
    summary: 'Read through which proxy the session connects',
    access: 'client',
    scope: 'manage',
    response: Shown,
    handle: ({ session }, { proxies }) => shown(proxies, session.id),
  }),
  r.post('/session/proxy', {
    summary: 'Connect the session through a proxy',
    description:
      'WebSocket, uploads, downloads and history all use it, and nothing else: while the proxy is down, so is the session. It must open a connection first, unless `Check` is false. A session that is connected connects again.',
    example: { URL: 'socks5://user:password@proxy.example:1080' },
    errors: ['PROXY_FAILED'],
    access: 'client',
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
    summary: 'Remove the proxy of the session',
    description: 'It connects through the one of the gateway again, or directly.',
    access: 'client',
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

/** The link that is open, or is being opened, goes the old way. */
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
