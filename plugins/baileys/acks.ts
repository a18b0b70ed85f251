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
  const waiting = new Map<string, (result: Ack | GatewayError) => void>()

  wa.ws.on('CB:ack,class:message', ({ attrs }: { attrs: Record<string, string> }) => {
    waiting.get(attrs['id'] ?? '')?.({
      error: attrs['error'],
      time: Number(attrs['t'] ?? 0) * 1000 || Date.now(),
    })
  })

  return {
    expect(id) {
      const ack = new Promise<Ack>((resolve, reject) => {
        waiting.set(id, (result) => {
          waiting.delete(id)
          if (isGatewayError(result)) reject(result)
          else resolve(result)
        })
      })
      // The link may be cut before anybody asks for the answer.
      ack.catch(() => undefined)
      return {
        answer() {
          const limit = setTimeout(() => waiting.get(id)?.(gatewayError('NETWORK_SILENT')), timeoutMs)
          return ack.finally(() => clearTimeout(limit))
        },
        forget: () => void waiting.delete(id),
      }
    },
    cut() {
      for (const settle of [...waiting.values()]) settle(gatewayError('NETWORK_SILENT'))
    },
  }
}
