import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import knex, { type Knex } from 'knex'
import { silent } from '../kernel/db/engines/clients.ts'
import { importSqlite } from '../kernel/db/engines/sqlite-module.ts'
import { openError } from '../kernel/db/engines/storage-error.ts'
import { openKeyring } from '../kernel/vault/keyring.ts'
import type { WrappedKey } from '../kernel/vault/vault.ts'
import { gatewayError, isGatewayError } from './errors.ts'
import { keyFileOf } from './master-keys.ts'

interface KeyCheckSettings {
  dataDir: string
  databaseUrl?: string
}

/**
 * Throws CONFIG_INVALID, with advice, if the database has sessions whose keys the master keys do not decrypt. It only reads,
 * and creates neither the database nor a file next to it.
 *
 * @param keys undefined if there are none yet.
 */
export async function checkMasterKeys(config: KeyCheckSettings, keys: string | undefined): Promise<void> {
  const stored = await readStoredKeys(config)
  if (stored.length === 0) return
  const ids = [...new Set(stored.map(({ key }) => key.kid))].map((kid) => `"${kid}"`).join(', ')
  const holds = `the database has ${stored.length} session(s) that are encrypted under the master key ${ids}`
  if (keys === undefined) throw keyError(`${holds}, but there is no key in ${keyFileOf(config)}`)
  const keyring = openKeyring(keys)
  for (const { session, key } of stored) {
    try {
      keyring.unwrap(key, session)
    } catch (cause) {
      const why = isGatewayError(cause)
        ? 'no key with that id is configured'
        : 'the configured key is a different one'
      throw keyError(`${holds}, and ${why}`, cause)
    }
  }
}

const ADVICE =
  'Nothing was changed. Configure the key that this database was used with (WAMUX_KEYS, WAMUX_KEYS_FILE or the file ' +
  'master-key of the data folder, from a backup), or the database that belongs to this key. If the key is lost, its ' +
  'sessions can not be read any more: begin with an empty database or data folder, and link the accounts again'

function keyError(what: string, cause?: unknown): Error {
  return gatewayError('CONFIG_INVALID', [`keys: ${what}. ${ADVICE}`], { cause })
}

interface StoredKey {
  readonly session: string
  readonly key: WrappedKey
}

async function readStoredKeys(config: KeyCheckSettings): Promise<StoredKey[]> {
  const database = config.databaseUrl ? openPostgres(config.databaseUrl) : await openSqlite(config.dataDir)
  if (!database) return []
  try {
    if (!(await database.schema.hasTable('sessions'))) return []
    const rows = await database('sessions').select('id', 'key_id', 'key')
    return rows.map(({ id, key_id, key }) => ({ session: id, key: { kid: key_id, wrapped: key } }))
  } catch (cause) {
    throw openError(labelOf(config), cause)
  } finally {
    await database.destroy()
  }
}

function openPostgres(connectionString: string): Knex {
  const connection = { connectionString, connectionTimeoutMillis: 5000 }
  return knex({ client: 'pg', connection, pool: { min: 0, max: 1 }, log: silent })
}

async function openSqlite(dataDir: string): Promise<Knex | undefined> {
  const file = sqliteOf(dataDir)
  if (!existsSync(file)) return undefined
  await importSqlite(file)
  // Even a reader creates the WAL files of a database not in use, unless it opens it as immutable.
  const filename = `${pathToFileURL(file)}?mode=ro${existsSync(`${file}-wal`) ? '' : '&immutable=1'}`
  const connection = { filename, flags: ['OPEN_URI'] }
  return knex({ client: 'sqlite3', connection, useNullAsDefault: true, log: silent })
}

const sqliteOf = (dataDir: string): string => join(dataDir, 'wamux.sqlite')

function labelOf({ databaseUrl, dataDir }: KeyCheckSettings): string {
  return databaseUrl ? databaseUrl.replace(/\/\/[^@/]*@/, '//') : sqliteOf(dataDir)
}
