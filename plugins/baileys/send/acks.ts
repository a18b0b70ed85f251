import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { gatewayError, withTimeout } from 'wamux/plugin'

export interface Ack {
  /** The network's code of refusal; undefined if it accepted the message. */
  error: string | undefined
  time: number
}

export interface Acks {
  /** Listens for the ack of a message that is about to be sent; `answer` rejects NETWORK_SILENT if none comes in time. */
  expect(id: string, chat: string): { answer(): Promise<Ack>; forget(): void }
  isAwaited(id: string): boolean
  /** A recipient in one of these chats has the message: that is as good as its ack. */
  prove(id: string, chats: readonly string[], time: number): void
  /** The link has ended: all that is awaited rejects NETWORK_SILENT. */
  cut(): void
}

interface Waiting {
  readonly chat: string
  resolve(ack: Ack): void
  reject(error: unknown): void
}

/**
 * Baileys ignores a good ack, and reports a bad one only as an update (Socket/messages-recv.js handleBadAck).
 *
 * @param onLate called with an ack that nothing waits for.
 */
export function createAcks(
  wa: WASocket,
  timeoutMs: number,
  onLate: (id: string, ack: Ack) => void = () => undefined,
): Acks {
  /** The edit of a post has the id of the post, so several may wait under one id; acks come in their order. */
  const waiting = new Map<string, Waiting[]>()

  function forget(id: string, entry: Waiting): void {
    const rest = waiting.get(id)?.filter((one) => one !== entry) ?? []
    if (rest.length > 0) waiting.set(id, rest)
    else waiting.delete(id)
  }

  wa.ws.on('CB:ack,class:message', ({ attrs }: BinaryNode) => {
    const { id = '', error, t } = attrs
    const ack = { error, time: Number(t ?? 0) * 1000 || Date.now() }
    const [first] = waiting.get(id) ?? []
    if (!first) return onLate(id, ack)
    forget(id, first)
    return first.resolve(ack)
  })

  return {
    expect(id, chat) {
      const entry: Waiting = { chat, resolve: () => undefined, reject: () => undefined }
      const ack = new Promise<Ack>((resolve, reject) => Object.assign(entry, { resolve, reject }))
      waiting.set(id, [...(waiting.get(id) ?? []), entry])
      // The link may be cut before the answer is awaited.
      ack.catch(() => undefined)
      return {
        answer: () =>
          withTimeout(ack, timeoutMs, () => {
            forget(id, entry)
            throw gatewayError('NETWORK_SILENT')
          }),
        forget: () => forget(id, entry),
      }
    },
    isAwaited: (id) => waiting.has(id),
    prove(id, chats, time) {
      const entry = waiting.get(id)?.find(({ chat }) => chats.includes(chat))
      if (!entry) return
      forget(id, entry)
      entry.resolve({ error: undefined, time })
    },
    cut() {
      const cut = [...waiting.values()].flat()
      waiting.clear()
      for (const { reject } of cut) reject(gatewayError('NETWORK_SILENT'))
    },
  }
}
