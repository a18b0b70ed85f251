import { Agent as HttpsAgent } from 'node:https'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import type { Dispatcher } from 'undici'
import { gatewayError } from 'wamux/plugin'
import type { Network } from '../protocol/network-card.ts'

export interface Dial {
  use(network: Network): void
}

export interface Dialled {
  readonly name: string
  /** undefined for WhatsApp's own. */
  readonly url: string | undefined
  readonly rootKey: Buffer | undefined
  /** For uploads (node:https). */
  readonly uploadAgent: HttpsAgent | undefined
  /** For downloads (fetch); made at its first use. */
  readonly dispatcher: Dispatcher | undefined
  /** The dispatcher as Baileys passes it to fetch. */
  readonly fetchOptions: RequestInit
  /** `host:port` that media may be fetched from beside WhatsApp's own hosts. */
  readonly mediaHost: string | undefined
}

const WHATSAPP: Dialled = {
  name: 'whatsapp',
  url: undefined,
  rootKey: undefined,
  uploadAgent: undefined,
  dispatcher: undefined,
  fetchOptions: {},
  mediaHost: undefined,
}

/** The network that sockets connect to. One for the life of a gateway: keys of one network are not valid on another. */
export interface NetworkChoice {
  readonly dial: Dial
  current(): Dialled
  close(): Promise<void>
}

interface Reached extends Dialled {
  close(): Promise<void>
}

export function createNetworkChoice(): NetworkChoice {
  let reached: Reached | undefined
  const current = (): Dialled => reached ?? WHATSAPP
  return {
    dial: {
      use(network) {
        if (network.name === WHATSAPP.name)
          throw gatewayError('CONFIG_INVALID', ['the name "whatsapp" is reserved'])
        if (reached)
          throw gatewayError('CONFIG_INVALID', [`the driver already uses the network "${reached.name}"`])
        reached = reach(network)
      },
    },
    current,
    close: async () => reached?.close(),
  }
}

/** Every https connection goes to the network's own media host, whatever host it was opened for. */
function reach({ name, url, ca, rootKey, mediaHost }: Network): Reached {
  const uploadAgent = new HttpsAgent({ ca })
  let made: Dispatcher | undefined
  const dispatcher = (): Dispatcher => {
    made ??= dispatcherOf(ca, mediaHost)
    return made
  }
  return {
    name,
    url,
    rootKey,
    uploadAgent,
    get dispatcher() {
      return dispatcher()
    },
    fetchOptions: fetchOptionsOf(dispatcher),
    mediaHost,
    async close() {
      uploadAgent.destroy()
      await made?.close()
    },
  }
}

function dispatcherOf(ca: string, mediaHost: string): Dispatcher {
  // Loaded with the first file: it has a hundred modules.
  const { Agent, buildConnector } = createRequire(import.meta.url)('undici') as typeof import('undici')
  const [hostname = '', port = '443'] = mediaHost.split(':')
  const connect = buildConnector({ ca })
  return new Agent({
    connect: (options, done) =>
      // TLS does not allow an address as the server name.
      connect(
        { ...options, hostname, port, servername: isIP(options.hostname) ? '' : options.hostname },
        done,
      ),
  })
}

/** The types of fetch are those of the undici inside Node, another version than the one that is installed. */
function fetchOptionsOf(dispatcher: () => Dispatcher): RequestInit {
  const options: RequestInit = {}
  return Object.defineProperty(options, 'dispatcher', { enumerable: true, get: dispatcher })
}
