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
  /** undefined leaves WhatsApp's own. */
  readonly url: string | undefined
  readonly rootKey: Buffer | undefined
  /** For uploads (node:https) and downloads (fetch). */
  readonly uploadAgent: HttpsAgent | undefined
  readonly dispatcher: Dispatcher | undefined
  /** `host:port` that media may be fetched from beside WhatsApp's own hosts. */
  readonly mediaHost: string | undefined
}

const WHATSAPP: Dialled = {
  name: 'whatsapp',
  url: undefined,
  rootKey: undefined,
  uploadAgent: undefined,
  dispatcher: undefined,
  mediaHost: undefined,
}

/** Where sockets connect. One network for the life of a gateway: keys of one are worthless on another. */
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
          throw gatewayError('CONFIG_INVALID', ['a network may not call itself "whatsapp"'])
        if (dialled !== WHATSAPP)
          throw gatewayError('CONFIG_INVALID', [`the driver is on "${dialled.name}" already`])
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

/** Every https connection goes to the network's own media host, whatever name was asked for. */
function reach({ name, url, ca, rootKey, mediaHost }: Network): Dialled {
  const [hostname = '', port = '443'] = mediaHost.split(':')
  const connect = buildConnector({ ca })
  const dispatcher = new Agent({
    connect: (options, done) =>
      // TLS knows no addresses for names.
      connect(
        { ...options, hostname, port, servername: isIP(options.hostname) ? '' : options.hostname },
        done,
      ),
  })
  return { name, url, rootKey, uploadAgent: new HttpsAgent({ ca }), dispatcher, mediaHost }
}
