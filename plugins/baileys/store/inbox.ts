import type { BinaryNode } from '@whiskeysockets/baileys'
import type { PluginDb, Row, Write } from 'wamux/plugin'
import type { Received } from '../protocol/received.ts'
import type { Codec } from './codec.ts'

export interface Entry extends Received {
  hash: string
}

export interface StoredEntry extends Entry {
  /** When it was stored, milliseconds since 1970. */
  readonly received: number
}

/**
 * Plaintexts, committed together with the ratchet that decrypted them (reliability: what was receipted must
 * be readable after a crash). A row is done when its event is logged, in the same transaction.
 */
export interface Inbox {
  find(hash: string): Promise<Entry | undefined>
  row(received: Entry): Write
  /** The write that ends an entry; goes into the commit of its event. */
  done(hash: string): Write
  /** What was decrypted before the last stop and never logged, oldest first. */
  unfinished(): Promise<Entry[]>
  /** The entries of a message id, newest first: messages of several chats may have the same. */
  byMessage(id: string): Promise<StoredEntry[]>
  /** Drops old entries, done or not: to be called when what can be done is. */
  prune(before: number): Promise<void>
}

/** Only people who make up ids have more. */
const MAX_SAME_ID = 20

export function createInbox(db: PluginDb, codec: Codec, session: string): Inbox {
  const toEntry = (row: Row): Entry => entryOf(codec, row)
  const table = db.table('inbox')
  return {
    async find(hash) {
      const row = await db.read<Row>(table).where({ session, hash }).first()
      return row && toEntry(row)
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
            // Ciphertexts are of no more use; what remains says who wrote where.
            stanza: codec.seal(`inbox/${hash}/stanza`, { tag: stanza.tag, attrs: stanza.attrs }),
            plain: codec.seal(`inbox/${hash}/plain`, plain),
            done: false,
            received: Date.now(),
          },
        ],
      ),
    done: (hash) => db.update('inbox', ['session', 'hash'], [{ session, hash, done: true }]),
    async unfinished() {
      const rows = await db.read<Row>(table).where({ session, done: false }).orderBy('received')
      return rows.map(toEntry)
    },
    async byMessage(id) {
      const query = db.read<Row>(table).where({ session, message: id })
      const rows = await query.orderBy('received', 'desc').limit(MAX_SAME_ID)
      return rows.map((row) => ({ ...toEntry(row), received: Number(row['received']) }))
    },
    async prune(before) {
      await db.transact((trx) => trx(table).where({ session }).where('received', '<', before).del())
    },
  }
}

function entryOf(codec: Codec, row: Row): Entry {
  const hash = String(row['hash'])
  return {
    hash,
    stanza: codec.open(`inbox/${hash}/stanza`, row['stanza'] as Buffer) as BinaryNode,
    plain: codec.open(`inbox/${hash}/plain`, row['plain'] as Buffer) as Buffer,
  }
}
