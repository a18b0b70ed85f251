import { Agent as HttpsAgent } from 'node:https'
import { isIP } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
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
  /** For uploads (node:https) and downloads (fetch). */
  readonly uploadAgent: HttpsAgent | undefined
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

export function createNetworkChoice(): NetworkChoice {
  let dialled = WHATSAPP
  return {
    dial: {
      use(network) {
        if (network.name === WHATSAPP.name)
          throw gatewayError('CONFIG_INVALID', ['the name "whatsapp" is reserved'])
        if (dialled !== WHATSAPP)
          throw gatewayError('CONFIG_INVALID', [`the driver already uses the network "${dialled.name}"`])
        dialled = reach(network)
      },
    },
    current: () => dialled,
    async close() {
      dialled.uploadAgent?.destroy()
      await dialled.dispatcher?.close()
    },
  }
}

/** Every https connection goes to the network's own media host, whatever host it was opened for. */
function reach({ name, url, ca, rootKey, mediaHost }: Network): Dialled {
  const [hostname = '', port = '443'] = mediaHost.split(':')
  const connect = buildConnector({ ca })
  const dispatcher = new Agent({
    connect: (options, done) =>
      // TLS does not allow an address as the server name.
      connect(
        { ...options, hostname, port, servername: isIP(options.hostname) ? '' : options.hostname },
        done,
      ),
  })
  return {
    name,
    url,
    rootKey,
    uploadAgent: new HttpsAgent({ ca }),
    dispatcher,
    fetchOptions: fetchOptionsOf(dispatcher),
    mediaHost,
  }
}

/** The types of fetch are those of the undici inside Node, another version than the one that is installed. */
function fetchOptionsOf(dispatcher: Dispatcher): RequestInit {
  const options: RequestInit = {}
  return Object.assign(options, { dispatcher })
}
