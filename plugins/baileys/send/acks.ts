import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { gatewayError, withTimeout } from 'wamux/plugin'

export interface Ack {
  /** The network's code of refusal; undefined if it accepted the message. */
  error: string | undefined
  time: number
  /** The privacy token sent with the message; '' for none. */
  token?: string
  /** The chat as the stanza named it. */
  address?: string
  /** The network's hash of the devices that the message was for. */
  phash?: string | undefined
}

export interface Acks {
  /** Registers the ack of a message that is about to be sent; `answer` rejects NETWORK_SILENT on time-out. */
  expect(id: string, chat: string): { answer(): Promise<Ack>; forget(): void }
  isAwaited(id: string): boolean
  /** A recipient in one of these chats has the message, which counts as its ack. */
  prove(id: string, chats: readonly string[], time: number): void
  /** The link has ended: all waiting answers reject NETWORK_SILENT. */
  cut(): void
}

interface Waiting {
  readonly chat: string
  resolve(ack: Ack): void
  reject(error: unknown): void
}

/**
 * Baileys ignores positive acks, and reports negative ones only as an update (Socket/messages-recv.js handleBadAck).
 *
 * @param onLate called with an ack that nothing waits for.
 */
export function createAcks(
  wa: WASocket,
  timeoutMs: number,
  onLate: (id: string, ack: Ack) => void = () => undefined,
): Acks {
  /**
   * An edited newsletter post is sent under the id of the post, so one id may have several waiters; acks arrive in their
   * order.
   */
  const waiting = new Map<string, Waiting[]>()

  function forget(id: string, entry: Waiting): void {
    const rest = waiting.get(id)?.filter((one) => one !== entry) ?? []
    if (rest.length > 0) waiting.set(id, rest)
    else waiting.delete(id)
  }

  wa.ws.on('CB:ack,class:message', ({ attrs }: BinaryNode) => {
    const { id = '', error, t, phash } = attrs
    const ack = { error, time: Number(t ?? 0) * 1000 || Date.now(), phash }
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
