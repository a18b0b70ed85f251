import type { BinaryNode } from '@whiskeysockets/baileys'
import type { PluginDb, Row, Write } from 'wamux/plugin'
import { bizNodes } from '../protocol/business/origin.ts'
import type { Received } from '../protocol/received.ts'
import type { Codec } from './codec.ts'
import { OPEN } from './predicates.ts'

export interface InboxMessage extends Received {
  hash: string
}

export interface StoredInboxMessage extends InboxMessage {
  /** When it was stored, milliseconds since 1970. */
  readonly received: number
}

/**
 * Plaintexts, committed together with the ratchet that decrypted them: a message whose receipt was sent must be readable
 * after a crash. A row is done when its event is logged, in the same transaction.
 */
export interface Inbox {
  find(hash: string): Promise<InboxMessage | undefined>
  row(received: InboxMessage): Write
  /** The write that closes a message, for the commit of its event. */
  done(hash: string): Write
  /** The hashes of messages that were decrypted before the last stop but never logged, oldest first. */
  unfinished(): Promise<string[]>
  /** The messages with an id, newest first: messages of several chats may share one. */
  byMessage(id: string): Promise<StoredInboxMessage[]>
  /** Drops old messages, done or not. Call it after all that can be logged are done. */
  prune(before: number): Promise<void>
}

/** Exceeded only if somebody makes up ids. */
const MAX_SAME_ID = 20

export function createInbox(db: PluginDb, codec: Codec, session: string): Inbox {
  const toMessage = (row: Row): InboxMessage => messageOf(codec, row)
  const table = db.table('inbox')
  return {
    async find(hash) {
      const row = await db.read<Row>(table).where({ session, hash }).first()
      return row && toMessage(row)
    },
    row: ({ hash, stanza, plain }) =>
      db.add(
        'inbox',
        ['session', 'hash'],
        [
          {
            session,
            hash,
            message: stanza.attrs['id'] ?? '',
            stanza: codec.seal(`inbox/${hash}/stanza`, kept(stanza)),
            plain: codec.seal(`inbox/${hash}/plain`, plain),
            done: false,
            received: Date.now(),
          },
        ],
      ),
    done: (hash) => db.update('inbox', ['session', 'hash'], [{ session, hash, done: true }]),
    async unfinished() {
      const rows = await db
        .read<Row>(table)
        .where({ session })
        .whereRaw(OPEN)
        .orderBy('received')
        .select('hash')
      return rows.map(({ hash }) => String(hash))
    },
    async byMessage(id) {
      const query = db.read<Row>(table).where({ session, message: id })
      const rows = await query.orderBy('received', 'desc').limit(MAX_SAME_ID)
      return rows.map((row) => ({ ...toMessage(row), received: Number(row['received']) }))
    },
    async prune(before) {
      await db.prune('inbox', (query) => query.where({ session }).where('received', '<', before))
    },
  }
}

/** Without the ciphertexts, which are no longer needed; the rest says who wrote where, and a business how. */
function kept(stanza: BinaryNode): BinaryNode {
  const { tag, attrs } = stanza
  const content = bizNodes(stanza)
  return { tag, attrs, ...(content.length > 0 ? { content } : {}) }
}

function messageOf(codec: Codec, row: Row): InboxMessage {
  const hash = String(row['hash'])
  return {
    hash,
    stanza: codec.open(`inbox/${hash}/stanza`, row['stanza'] as Buffer) as BinaryNode,
    plain: codec.open(`inbox/${hash}/plain`, row['plain'] as Buffer) as Buffer,
  }
}
