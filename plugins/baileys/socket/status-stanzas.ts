import type { BinaryNode } from '@whiskeysockets/baileys'
import { jidDecode } from '../baileys.ts'
import type { Emit, Receive, Stage } from './stage.ts'

const STATUS = 'CB:status'
const MESSAGE = 'CB:message'
/** Exceeded only if the storage hangs; the network resends unacknowledged stanzas. */
const MAX_PENDING = 1_000

export interface StatusStanzas {
  receive: Stage<Receive>
  events: Stage<Emit>
}

/**
 * Reads status posts that arrive as `<status>`. They equal a `<message>`, except that the network also requires an ack of this
 * class besides the receipt; without one it resends the post at each login, and ends the link every 50 minutes (WR#1101).
 * Baileys has no handler for them. The tag is kept, so that Baileys' own acks of undecryptable posts also have the class.
 */
export function statusStanzas(acknowledge: (stanza: BinaryNode) => Promise<void>): StatusStanzas {
  const pending = new Map<string, BinaryNode>()
  // Fails on a closing link; the network then resends the post.
  const confirm = (stanza: BinaryNode): void => void acknowledge(stanza).catch(() => undefined)

  function hold(stanza: BinaryNode): void {
    pending.set(stanza.attrs['id'] ?? '', stanza)
    const [oldest] = pending.size > MAX_PENDING ? pending.keys() : []
    if (oldest !== undefined) pending.delete(oldest)
  }

  return {
    receive:
      (next) =>
      (event, ...args) => {
        if (event !== STATUS) return next(event, ...args)
        const stanza = args[0] as BinaryNode
        if (jidDecode(stanza.attrs['from'])?.server === 'newsletter') confirm(stanza)
        else {
          hold(stanza)
          next(MESSAGE, stanza)
        }
        return true
      },
    // Raised when the post is decrypted: like every frame, the ack waits for the writes of the decryption.
    events: (next) => (event, data) => {
      if (event === 'messages.upsert')
        for (const { key, message } of (data as { messages: Upserted[] }).messages) {
          const stanza = pending.get(key?.id ?? '')
          if (!stanza) continue
          pending.delete(key?.id ?? '')
          if (message) confirm(stanza)
        }
      return next(event, data)
    },
  }
}

interface Upserted {
  readonly key?: { readonly id?: string | null }
  readonly message?: unknown
}
