import { gatewayError } from 'wamux/plugin'

/** Counts the open WebSockets of each session, and of the admin. */
export interface Connections {
  /** Returns the function that gives the place back. Throws CONNECTIONS_FULL. */
  enter(owner: string): () => void
}

export function createConnections({ config }: { config: { maxSockets: number } }): Connections {
  const open = new Map<string, number>()
  return {
    enter(owner) {
      const count = open.get(owner) ?? 0
      if (count >= config.maxSockets) throw gatewayError('CONNECTIONS_FULL', [config.maxSockets])
      open.set(owner, count + 1)
      return () => {
        const left = (open.get(owner) ?? 1) - 1
        if (left > 0) open.set(owner, left)
        else open.delete(owner)
      }
    },
  }
}
