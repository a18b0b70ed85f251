import { type GatewayServices, withTimeout } from 'wamux/plugin'
import type { Snapshots } from '../../snapshots.ts'
import { bare } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Proto } from './compose.ts'

/** A message on the phone, received or sent. */
export interface Stored {
  seq: number
  id: string
  chat: string
  from: string
  fromMe: boolean
  timestamp: number
  /** Proto as JSON: bytes in base64, enums by name. */
  message: Record<string, unknown>
  /** The stanza's attributes; for messages sent by this phone only `edit`. */
  attrs: Record<string, string>
  /** Nodes next to the ciphertext, for example `biz`; absent for messages sent by this phone. */
  nodes?: Stanza[]
  /** The decrypted file of a media message. */
  media?: MediaSummary
  /** Files in headers, cards and link previews. */
  files?: MediaSummary[]
  /** Seconds after which it disappears, as stated in the message; absent if it stays. */
  expiration?: number
  /** When it disappears, Unix seconds. */
  expires?: number
  /** It lacks the timer of its chat: the phone warns that it will not disappear, and that the sender may have an old version. */
  willNotDisappear?: boolean
  /** It may be viewed once only, but its stanza does not say so. */
  unmarked?: boolean
  /** A member has shared it from before the account joined the group: it is not unread, and nobody expects a receipt. */
  isShared?: true
  /** It would change another message, which its sender may not: the phone ignores it. */
  refused?: true
  /** The opened content of a vote, an added option or an answer to an event. */
  answer?: EventAnswer
  raw: Proto
  /** The encoded message that was sent instead, and contains the sealed content. */
  envelope?: Uint8Array
}

/** A vote in a poll, an option added to one, or an answer to an event: opened, in the form in which the phone shows it. */
export type EventAnswer =
  | { readonly to: string; readonly options: readonly string[] }
  | { readonly to: string; readonly added: string }
  | { readonly to: string; readonly response: string; readonly guests: number }

export interface MediaSummary {
  mimetype: string
  size: number
  sha256: string
  /** Of a file that the app would not show or play. */
  isUnreadable?: true
}

/** The messages of a phone, in order of arrival. */
export interface PhoneMessages {
  add(message: Omit<Stored, 'seq' | 'message'>): Stored
  has(id: string, from: string): boolean
  all(): readonly Stored[]
  /** Deletes messages for good: they do not reappear if delivered again. */
  erase(isErased: (message: Stored) => boolean): Stored[]
  /** Waits for the first message, past or future, that `matches`; rejects after `ms`. */
  wait(matches: (message: Stored) => boolean, ms?: number): Promise<Stored>
  /** Re-evaluates the waiters after another change, for example a receipt. */
  touch(): void
}

const MAX_MESSAGES = 20_000

/** A message in a snapshot, with its proto encoded. */
type Kept = Omit<Stored, 'message' | 'raw'> & { plain: Uint8Array }

export function createMessages(
  wire: GatewayServices['wire'],
  { slot, folder }: Pick<Snapshots, 'slot' | 'folder'>,
): PhoneMessages {
  const stored: Stored[] = []
  const known = new Set<string>()
  const watchers = new Set<() => void>()
  const kept = slot('messages', () => ({ seq: 0, list: [] as Kept[] }))
  for (const { plain, ...message } of kept.list)
    show({ ...message, raw: wire.unbounded(() => wire.proto.Message.decode(plain)) })
  const touch = (): void => {
    for (const check of [...watchers]) check()
  }

  function show(message: Omit<Stored, 'message'>): Stored {
    let json: Record<string, unknown> | undefined
    const one: Stored = {
      ...message,
      // Lazy, since most messages of a load test are never shown.
      get message() {
        json ??= wire.proto.Message.fromObject(message.raw).toJSON() as Record<string, unknown>
        return json
      },
    }
    stored.push(one)
    known.add(`${message.id} ${bare(message.from)}`)
    if (stored.length > MAX_MESSAGES) stored.shift()
    return one
  }

  return {
    add({ raw, ...message }) {
      kept.seq += 1
      const { seq } = kept
      const one = show({ ...message, raw, seq })
      if (folder) kept.list.push({ ...message, seq, plain: encode(wire, raw) })
      if (kept.list.length > MAX_MESSAGES) kept.list.shift()
      touch()
      return one
    },
    has: (id, from) => known.has(`${id} ${bare(from)}`),
    all: () => stored,
    erase(isErased) {
      const erased = stored.filter(isErased)
      const seqs = new Set(erased.map(({ seq }) => seq))
      if (seqs.size === 0) return erased
      stored.splice(0, stored.length, ...stored.filter(({ seq }) => !seqs.has(seq)))
      kept.list.splice(0, kept.list.length, ...kept.list.filter(({ seq }) => !seqs.has(seq)))
      return erased
    },
    touch,
    async wait(matches, ms = 10_000) {
      let check = (): void => undefined
      const found = new Promise<Stored>((resolve) => {
        check = () => {
          const message = stored.find(matches)
          if (message) resolve(message)
        }
      })
      watchers.add(check)
      check()
      try {
        return await withTimeout(found, ms, () => {
          throw new Error(`no matching message within ${ms} ms`)
        })
      } finally {
        watchers.delete(check)
      }
    },
  }
}

function encode(wire: GatewayServices['wire'], raw: Proto): Uint8Array {
  return wire.proto.Message.encode(wire.proto.Message.fromObject(raw)).finish()
}
