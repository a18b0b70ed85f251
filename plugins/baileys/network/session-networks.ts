import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { GatewayServices } from 'wamux/plugin'
import type { Egress, Tunnel } from './egress.ts'
import type { Dialled, NetworkChoice, ReachedHost } from './network.ts'

/** The route of a request outside a link that goes where links go. `id` is empty for a direct connection. */
export type Way = Tunnel

/** The network as each session reaches it: directly or through its tunnel. */
export interface SessionNetworks {
  /** Rejects like `Egress.of`: a session that needs a tunnel never connects directly. */
  of(session: string): Promise<Dialled>
  /** Like `of`, for a request to the network's web site. */
  way(session: string): Promise<Way>
  /** The session's links have ended for good. */
  forget(session: string): Promise<void>
  close(): Promise<void>
}

interface Parts {
  choice: NetworkChoice
  egress?: Egress | undefined
  httpClient?: GatewayServices['httpClient'] | undefined
}

export function createSessionNetworks({ choice, egress, httpClient }: Parts): SessionNetworks {
  egress?.start(choice.endpoint)
  const tunnelled = new Map<string, { id: string; reached: ReachedHost }>()

  async function forget(session: string): Promise<void> {
    const known = tunnelled.get(session)
    tunnelled.delete(session)
    await known?.reached.close()
  }

  /** A local network's address is the operator's own; WhatsApp's must not resolve to a private one. */
  async function connectDirectly(host: string, port: number): Promise<Socket> {
    if (choice.current().url === undefined) {
      if (!httpClient) throw new Error('the plugin http-client is off')
      return httpClient.connect(host, port)
    }
    const socket = connect(port, host).on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }

  return {
    way: async (session) => (await egress?.of(session)) ?? { id: '', connect: connectDirectly },
    async of(session) {
      const tunnel = await egress?.of(session)
      const known = tunnelled.get(session)
      if (tunnel && known?.id === tunnel.id) return known.reached
      // Its last requests may still be running.
      void forget(session).catch(() => undefined)
      if (!tunnel) return choice.current()
      const reached = choice.through(tunnel)
      tunnelled.set(session, { id: tunnel.id, reached })
      return reached
    },
    forget,
    async close() {
      await Promise.all([...tunnelled.keys()].map(forget))
      await choice.close()
    },
  }
}
