import type { Egress } from './egress.ts'
import type { Dialled, NetworkChoice, Reached } from './network.ts'

/** The network as each session reaches it: directly, or through its tunnel. */
export interface SessionNetworks {
  /** Rejects as `Egress.of` does: a session that needs a tunnel never gets the direct way. */
  of(session: string): Promise<Dialled>
  /** The links of the session have ended for good. */
  forget(session: string): Promise<void>
  close(): Promise<void>
}

export function createSessionNetworks(choice: NetworkChoice, egress: Egress | undefined): SessionNetworks {
  egress?.start(choice.endpoint)
  const tunnelled = new Map<string, { id: string; reached: Reached }>()

  async function forget(session: string): Promise<void> {
    const known = tunnelled.get(session)
    tunnelled.delete(session)
    await known?.reached.close()
  }

  return {
    async of(session) {
      const tunnel = await egress?.of(session)
      const known = tunnelled.get(session)
      if (tunnel && known?.id === tunnel.id) return known.reached
      // Its last requests may still be under way.
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
