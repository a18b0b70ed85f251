import type { AuthenticationCreds } from '@whiskeysockets/baileys'
import { migrate } from '../../kernel/db/migrate.ts'
import { pluginDb } from '../../kernel/db/plugin-db.ts'
import type { PluginDb } from '../../kernel/plugin.ts'
import { migrations } from '../../plugins/baileys/migrations.ts'
import { wire } from '../../plugins/baileys/protocol/wire.ts'
import { createRecordCache } from '../../plugins/baileys/signal/live-records.ts'
import { identityPairOf, SignalBatch, type Subject } from '../../plugins/baileys/signal/signal-batch.ts'
import { createKeyStore, type KeyStore } from '../../plugins/baileys/signal/signal-keys.ts'
import { createCodec } from '../../plugins/baileys/store/codec.ts'
import { loadCreds, saveCreds } from '../../plugins/baileys/store/credentials.ts'
import { createInbox } from '../../plugins/baileys/store/inbox.ts'
import type { Engine } from './databases.ts'
import { openEventLog } from './events/event-log.ts'

/** The stored keys of one session, as the links that follow each other see them. */
export interface StoredKeys {
  /** The store of a new link: nothing of the last one is in memory. @param read in place of the database's. */
  link(read?: PluginDb['read']): KeyLink
  readonly db: PluginDb
  saveCreds(creds: AuthenticationCreds): Promise<void>
  loadCreds(): Promise<AuthenticationCreds>
  close(): Promise<void>
}

export interface KeyLink {
  readonly store: KeyStore
  /** The storage of one operation of libsignal. */
  batch(subject: Subject): SignalBatch
}

const SESSION = 's'

export async function openStoredKeys(engine: Engine): Promise<StoredKeys> {
  const { database, writer, vault } = await openEventLog(engine)
  await migrate(database.main, 'baileys', migrations)
  const db = pluginDb(database, writer, 'baileys')
  const codec = createCodec(vault, SESSION)
  const cache = createRecordCache()
  const creds = wire.initAuthCreds()
  const identity = identityPairOf(creds.signedIdentityKey)
  return {
    db,
    link(read = db.read) {
      const records = cache.ofLink()
      const store = createKeyStore({
        ...{ db: { ...db, read }, codec, session: SESSION, records, cacheBytes: 1_000_000 },
        inbox: createInbox(db, codec, SESSION),
        signal: new AbortController().signal,
        onFailure(error) {
          throw error
        },
      })
      return { store, batch: (subject) => new SignalBatch({ store, records, creds, identity }, subject) }
    },
    saveCreds: (changed) => saveCreds(db, codec, SESSION, changed),
    loadCreds: () => loadCreds(db, codec, SESSION),
    close: () => database.close(),
  }
}
