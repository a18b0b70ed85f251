import { type DatabaseOptions, openDatabase } from '../../../kernel/db/engines/open.ts'
import { migrate } from '../../../kernel/db/migrate.ts'
import { pluginDb } from '../../../kernel/db/plugin-db.ts'
import { createWriter, type Writer } from '../../../kernel/db/writer.ts'
import type { SessionRow } from '../../../kernel/sessions/session-row.ts'
import { openSessionStore } from '../../../kernel/sessions/store.ts'
import type { Row, Write } from '../../../kernel/types/storage.ts'
import { openKeyring } from '../../../kernel/vault/keyring.ts'
import { createVault } from '../../../kernel/vault/vault.ts'
import { migrations as kernel } from '../../../migrations/index.ts'
import { migrations as driver } from '../../../plugins/baileys/migrations.ts'
import { deviceRows, storedDevice } from '../../../plugins/baileys/store/foreign-device.ts'
import { createSeals } from '../../../plugins/baileys/store/seals.ts'
import { toRow } from '../../../plugins/webhook/endpoints/endpoint.ts'
import { blank } from '../../../plugins/webhook/endpoints/endpoints.ts'
import { migrations as webhook } from '../../../plugins/webhook/migrations.ts'
import { commandFailed } from '../../errors.ts'
import { bareJid, type ImportedAccount } from './account.ts'

export interface ImporterOptions extends DatabaseOptions {
  /** Called once the source is known to have accounts: it may create the keys. */
  masterKeys(): string
  allowWeakTokens: boolean
  /** Network on which the accounts are linked. */
  network: string
}

/** Adds accounts to the database of a stopped gateway. */
export interface Importer {
  /** Rejects COMMAND_FAILED if the account already exists here. */
  check(account: ImportedAccount): Promise<void>
  /** Adds it, in one transaction, as a session that the next start connects. */
  add(account: ImportedAccount): Promise<SessionRow>
  close(): Promise<void>
}

/** Rejects DATABASE_LOCKED while a gateway uses the database. */
export async function openImporter(options: ImporterOptions): Promise<Importer> {
  const database = await openDatabase(options)
  try {
    await migrate(database.main, 'kernel', kernel)
    await migrate(database.main, 'baileys', driver)
    await migrate(database.main, 'webhook', webhook)
    const vault = createVault(openKeyring(options.masterKeys()))
    const writer = createWriter(database)
    const collected: Write[] = []
    // Its changes are committed together with the keys.
    const store = await openSessionStore(
      database,
      collecting(writer, collected),
      vault,
      options.allowWeakTokens,
    )
    await commit()
    const db = pluginDb(database, writer, 'baileys')
    const webhooks = pluginDb(database, writer, 'webhook')

    async function commit(): Promise<void> {
      const writes = collected.splice(0)
      if (writes.length > 0) await writer.write(writes)
    }

    async function check({ token, creds }: ImportedAccount): Promise<void> {
      const sameToken = token ? store.byToken(token) : undefined
      if (sameToken) throw commandFailed(`its token belongs to the session ${nameOf(sameToken)}`)
      const device = creds.me.id
      for (const session of store.all().filter(({ jid }) => jid === bareJid(device)))
        if ((await storedDevice(db, createSeals(vault, session.id), session.id)) === device)
          throw commandFailed(`it is here already, as the session ${nameOf(session)}`)
    }

    return {
      check,
      async add(account) {
        await check(account)
        const { name, token, webhook, subscribe, creds, format, events = [] } = account
        try {
          const { id } = await store.create({ name, webhook, subscribe, ...(token ? { token } : {}) })
          const session = await store.update(id, {
            jid: bareJid(creds.me.id),
            lid: bareJid(creds.me.lid ?? ''),
            network: options.network,
            autoConnect: true,
          })
          collected.push(...deviceRows(db, createSeals(vault, id), id, account))
          if (webhook && format) {
            const main = { ...blank(id), id, isMain: true, url: webhook, subscribe, format, events }
            collected.push(webhooks.put('endpoints', ['id'], [toRow(vault, main)]))
          }
          await commit()
          return session
        } finally {
          collected.length = 0
        }
      },
      async close() {
        await writer.settled()
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** A writer that collects writes, and answers as if all rows had been inserted. */
function collecting(writer: Writer, collected: Write[]): Writer {
  return {
    ...writer,
    async write(writes): Promise<Row[]> {
      collected.push(...writes)
      return writes.flatMap(({ rows, returning }) => (returning ? [...rows] : []))
    },
  }
}

function nameOf({ id, name }: SessionRow): string {
  return name ? `"${name}" (${id})` : id
}
