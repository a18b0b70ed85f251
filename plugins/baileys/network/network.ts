import type { Agent } from 'node:https'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import { gatewayError } from 'wamux/plugin'
import type { Network } from '../protocol/network-card.ts'
import type { ProxyEndpoint, Tunnel } from './egress.ts'
import { plainAgent, tlsAgent } from './tunnel-agents.ts'

export interface Dial {
  use(network: Network): void
}

export interface Dialled {
  readonly name: string
  /** Undefined for WhatsApp itself. */
  readonly url: string | undefined
  readonly rootKey: Buffer | undefined
  /** For the WebSocket; undefined connects directly. */
  readonly socketAgent: Agent | undefined
  /** For uploads and downloads; created on first use. */
  readonly dispatcher: Dispatcher | undefined
  /** The dispatcher in the form that Baileys passes to fetch. */
  readonly fetchOptions: RequestInit
  /** `host:port` from which media may be fetched besides WhatsApp's own hosts. */
  readonly mediaHost: string | undefined
}

/**
 * The network that sockets connect to. It stays the same for the life of a gateway: keys of one network are invalid on
 * another.
 */
export interface NetworkChoice {
  readonly dial: Dial
  current(): Dialled
  /** Where links connect to. */
  endpoint(): ProxyEndpoint
  /** Origin of the network's web site. */
  site(): string
  /** The network through a tunnel. Close it when no link uses it any more. */
  through(tunnel: Tunnel): ReachedHost
  close(): Promise<void>
}

export interface ReachedHost extends Dialled {
  close(): Promise<void>
}

type Target = { readonly name: string } & Partial<Network>

const WHATSAPP: Target = { name: 'whatsapp' }
const WHATSAPP_URL = 'wss://web.whatsapp.com'

export function createNetworkChoice(): NetworkChoice {
  let target = WHATSAPP
  let reached = reach(target, undefined)
  return {
    dial: {
      use(network) {
        if (network.name === WHATSAPP.name)
          throw gatewayError('CONFIG_INVALID', ['the name "whatsapp" is reserved'])
        if (target !== WHATSAPP)
          throw gatewayError('CONFIG_INVALID', [`the driver already uses the network "${target.name}"`])
        target = network
        reached = reach(target, undefined)
      },
    },
    current: () => reached,
    endpoint: () => endpointOf(target.url ?? WHATSAPP_URL),
    site: () => new URL((target.url ?? WHATSAPP_URL).replace(/^ws/, 'http')).origin,
    through: (tunnel) => reach(target, tunnel),
    close: () => reached.close(),
  }
}

/** Without a tunnel and on WhatsApp itself there are no agents: Node connects. */
function reach({ name, url, ca, rootKey, mediaHost }: Target, tunnel: Tunnel | undefined): ReachedHost {
  const isDirect = !tunnel && !ca
  const isPlain = url?.startsWith('ws:') ?? false
  let made: Dispatcher | undefined
  const dispatcher = (): Dispatcher | undefined => {
    made ??= isDirect ? undefined : dispatcherOf(ca, mediaHost, tunnel)
    return made
  }
  return {
    name,
    url,
    rootKey,
    socketAgent: tunnel && (isPlain ? plainAgent(tunnel) : tlsAgent(tunnel, ca)),
    get dispatcher() {
      return dispatcher()
    },
    fetchOptions: isDirect ? {} : fetchOptionsOf(dispatcher),
    mediaHost,
    async close() {
      await made?.close()
    },
  }
}

/** On a local network every https connection goes to its own media host, whatever the URL. */
function dispatcherOf(
  ca: string | undefined,
  mediaHost: string | undefined,
  tunnel: Tunnel | undefined,
): Dispatcher {
  // Loaded with the first file: undici has a hundred modules.
  const undici = createRequire(import.meta.url)('undici') as typeof import('undici')
  const connect = undici.buildConnector(ca ? { ca } : {})
  return new undici.Agent({
    connect(options, done) {
      const [hostname = '', port = '443'] = mediaHost?.split(':') ?? [options.hostname, options.port || '443']
      // TLS does not allow an IP address as the server name.
      const target = {
        ...options,
        hostname,
        port,
        servername: isIP(options.hostname) ? '' : options.hostname,
      }
      if (!tunnel) return connect(target, done)
      return connectThrough(tunnel, connect, target, done)
    },
  })
}

function connectThrough(
  tunnel: Tunnel,
  connect: buildConnector.connector,
  target: buildConnector.Options,
  done: buildConnector.Callback,
): void {
  tunnel.connect(target.hostname, Number(target.port)).then(
    (httpSocket) => connect({ ...target, httpSocket }, done),
    (error: Error) => done(error, null),
  )
}

function endpointOf(address: string): ProxyEndpoint {
  const { protocol, hostname, port } = new URL(address)
  return { host: hostname, port: Number(port) || (protocol === 'wss:' ? 443 : 80) }
}

/** fetch has the types of the undici inside Node, a different version from the installed one. */
function fetchOptionsOf(dispatcher: () => Dispatcher | undefined): RequestInit {
  const options: RequestInit = {}
  return Object.defineProperty(options, 'dispatcher', { enumerable: true, get: dispatcher })
}
