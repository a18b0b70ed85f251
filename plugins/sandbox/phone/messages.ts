import type { GatewayServices } from 'wamux/plugin'
import { bare } from '../stanza.ts'
import type { Stanza } from '../types.ts'
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
  /** The stanza's attributes; empty for what this phone sent itself. */
  attrs: Record<string, string>
  /** What came beside the ciphertext, such as `biz`; absent for what this phone sent itself. */
  nodes?: Stanza[]
  /** Of media: what its file decrypted to. */
  media?: MediaSeen
  /** The files in the parts of a message: headers, cards, link previews. */
  files?: MediaSeen[]
  raw: Proto
}

export interface MediaSeen {
  mimetype: string
  size: number
  sha256: string
}

/** What a phone holds, in order, for others to read and wait on. */
export interface Messages {
  add(message: Omit<Stored, 'seq' | 'message'>): void
  has(id: string, from: string): boolean
  all(): readonly Stored[]
  /** The first message, past or coming, that `matches`; rejects after `ms`. */
  wait(matches: (message: Stored) => boolean, ms?: number): Promise<Stored>
  /** Something beside the messages changed that waiters may look at. */
  touch(): void
}

const MOST = 20_000

export function createMessages(wire: GatewayServices['wire']): Messages {
  const stored: Stored[] = []
  const known = new Set<string>()
  const watchers = new Set<() => void>()
  let seq = 0
  const touch = (): void => {
    for (const check of [...watchers]) check()
  }
  return {
    add(message) {
      seq += 1
      const json = wire.proto.Message.fromObject(message.raw).toJSON() as Record<string, unknown>
      stored.push({ ...message, seq, message: json })
      known.add(`${message.id} ${bare(message.from)}`)
      if (stored.length > MOST) stored.shift()
      touch()
    },
    has: (id, from) => known.has(`${id} ${bare(from)}`),
    all: () => stored,
    touch,
    wait(matches, ms = 10_000) {
      return new Promise((resolve, reject) => {
        const finish = (settle: () => void): void => {
          clearTimeout(limit)
          watchers.delete(check)
          settle()
        }
        const check = (): void => {
          const found = stored.find(matches)
          if (found) finish(() => resolve(found))
        }
        const limit = setTimeout(() => finish(() => reject(new Error(`no such message within ${ms} ms`))), ms)
        watchers.add(check)
        check()
      })
    },
  }
}
