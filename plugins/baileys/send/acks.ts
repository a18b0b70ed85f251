import type { WASocket } from '@whiskeysockets/baileys'
import { type GatewayError, gatewayError, isGatewayError } from 'wamux/plugin'

export interface Ack {
  /** The network's code of refusal; undefined when it took the message. */
  error: string | undefined
  time: number
}

export interface Acks {
  /** Listens for the ack of a message that is about to leave. */
  expect(id: string): { answer(): Promise<Ack>; forget(): void }
  /** The link is gone: whoever waits hears NETWORK_SILENT. */
  cut(): void
}

/** What Baileys says nothing of when it is good, and buries in an update when not (Socket/messages-recv.js handleBadAck). */
export function createAcks(wa: WASocket, timeoutMs: number): Acks {
  /** The edit of a post goes out under the id of the post: there may be several, answered in their order. */
  const waiting = new Map<string, Set<(result: Ack | GatewayError) => void>>()

  wa.ws.on('CB:ack,class:message', ({ attrs }: { attrs: Record<string, string> }) => {
    const [first] = waiting.get(attrs['id'] ?? '') ?? []
    first?.({ error: attrs['error'], time: Number(attrs['t'] ?? 0) * 1000 || Date.now() })
  })

  return {
    expect(id) {
      const same = waiting.get(id) ?? new Set()
      waiting.set(id, same)
      const forget = (): void => {
        if (same.delete(settle) && same.size === 0) waiting.delete(id)
      }
      let settle: (result: Ack | GatewayError) => void = () => undefined
      const ack = new Promise<Ack>((resolve, reject) => {
        settle = (result) => {
          forget()
          if (isGatewayError(result)) reject(result)
          else resolve(result)
        }
      })
      same.add(settle)
      // The link may be cut before anybody asks for the answer.
      ack.catch(() => undefined)
      return {
        answer() {
          const limit = setTimeout(() => settle(gatewayError('NETWORK_SILENT')), timeoutMs)
          return ack.finally(() => clearTimeout(limit))
        },
        forget,
      }
    },
    cut() {
      for (const settle of [...waiting.values()].flatMap((same) => [...same]))
        settle(gatewayError('NETWORK_SILENT'))
    },
  }
}
