import type { Peers } from '../types/peers.ts'

/** Notifications within this process, until a plugin connects it to others. */
export function createPeers(): Peers {
  const listeners = new Map<string, Set<() => void>>()
  const waiting = new Set<string>()
  let send: ((topics: readonly string[]) => void) | undefined

  function arrived(topics: readonly string[] = [...listeners.keys()]): void {
    for (const topic of topics) for (const listener of [...(listeners.get(topic) ?? [])]) listener()
  }

  /** Notifications of one turn of the event loop are sent together. */
  function flush(): void {
    const topics = [...waiting]
    waiting.clear()
    if (send) send(topics)
    else arrived(topics)
  }

  return {
    get isAlone() {
      return send === undefined
    },
    notify(topic) {
      if (waiting.size === 0) setImmediate(flush)
      waiting.add(topic)
    },
    listen(topic, listener) {
      const own = listeners.get(topic) ?? new Set()
      listeners.set(topic, own.add(listener))
      return () => {
        own.delete(listener)
        if (own.size === 0 && listeners.get(topic) === own) listeners.delete(topic)
      }
    },
    connect(carry) {
      send = carry
    },
    arrived,
  }
}
