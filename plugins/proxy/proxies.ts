import { type GatewayServices, gatewayError, type Kernel, type Row } from 'wamux/plugin'
import { DIRECT, parseProxy } from './address.ts'
import type { ProxyConfig } from './config.ts'
import { createTunnel, type ProxyTunnel } from './tunnel.ts'

type Egress = GatewayServices['egress']

/** The proxies of sessions. */
export interface Proxies extends Egress {
  /** The address as configured; `direct` for none. */
  find(session: string): Promise<{ url: string; source: 'session' | 'gateway' | 'none' }>
  /** Opens one connection through the proxy to the network of the links. Rejects PROXY_FAILED. */
  check(url: string): Promise<void>
  /** Takes effect with the next connection. */
  store(session: string, url: string): Promise<void>
  remove(session: string): Promise<void>
}

type Deps = Pick<Kernel<ProxyConfig>, 'db' | 'vault' | 'config'> & Pick<GatewayServices, 'httpClient'>

export function createProxies({ db, vault, config, httpClient }: Deps): Proxies {
  const table = db.table('sessions')
  let endpoint: Parameters<Egress['start']>[0] | undefined

  const tunnelTo = (url: string): Pick<ProxyTunnel, 'connect'> =>
    createTunnel(parseProxy(url, 'URL'), httpClient.connect, config.timeoutMs)

  // Not kept in memory: another node may have changed it.
  async function find(session: string): ReturnType<Proxies['find']> {
    const row = await db.read<Row>(table).where({ session }).first()
    if (row) {
      const url = vault.open(session, placeOf(session), row['url'] as Buffer).toString()
      return { url, source: 'session' }
    }
    return config.url ? { url: config.url, source: 'gateway' } : { url: DIRECT, source: 'none' }
  }

  return {
    start(of) {
      endpoint = of
    },
    find,
    async of(session) {
      const { url } = await find(session)
      return url === DIRECT ? undefined : { id: url, ...tunnelTo(url) }
    },
    async check(url) {
      if (!endpoint) throw gatewayError('PLUGIN_UNAVAILABLE', ['proxy', 'the driver has not started'])
      const { host, port } = endpoint()
      const socket = await tunnelTo(url).connect(host, port)
      socket.destroy()
    },
    async store(session, url) {
      const row = { session, url: vault.seal(session, placeOf(session), url) }
      await db.write([db.put('sessions', ['session'], [row])])
    },
    async remove(session) {
      await db.write([db.remove('sessions', ['session'], [{ session }])])
    },
  }
}

function placeOf(session: string): string {
  return `proxy_sessions/${session}`
}
