import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { holdLock } from '../../../kernel/db/engines/sqlite-lock.ts'
import { prefixOf } from '../../../kernel/db/migrate.ts'
import { failpoint } from '../../../kernel/failpoint.ts'
import type { Migration } from '../../../kernel/types/storage.ts'
import type { Keyring } from '../../../kernel/vault/vault.ts'
import { KEYS_TABLE, RATCHETS } from '../../../plugins/baileys/signal/ratchets.ts'
import { commandFailed, isGatewayError, reasonOf } from '../../errors.ts'
import { databaseIn, publish } from './backup.ts'
import { type Contents, readContents } from './contents.ts'
import { openSqliteFile } from './sqlite-file.ts'

export interface RestoreOptions {
  dataDir: string
  /** A copy made by `backUp`. */
  file: string
  keyring: Keyring
  /** Migrations by owner: the kernel and the enabled plugins. */
  migrations: Readonly<Record<string, Readonly<Record<string, Migration>>>>
  /** Replaces an existing database. */
  force: boolean
}

export interface Restored extends Contents {
  /** The new path of the replaced database. */
  aside: string | undefined
}

/** Upper limit of events that the lost database had beyond the copy: their numbers must not be reused. */
const SKIPPED_EVENTS = 1_000_000

/**
 * Replaces the database of a stopped gateway by a copy. Everything is checked before the first change, and the last step is
 * one rename: an interrupted restore leaves the database unchanged.
 *
 * @throws DATABASE_LOCKED while a gateway runs, COMMAND_FAILED if the copy is damaged, needs another master key, comes from
 * a newer version, or would replace a database without `force`.
 */
export async function restore({
  dataDir,
  file,
  keyring,
  migrations,
  force,
}: RestoreOptions): Promise<Restored> {
  const target = databaseIn(dataDir)
  if (!existsSync(file)) throw commandFailed(`there is no file ${file}`)
  if (resolve(file) === resolve(target)) throw commandFailed(`${file} is the database itself`)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const release = await holdLock(target)
  const staged = `${target}.restoring`
  try {
    if (existsSync(target) && !force)
      throw commandFailed(
        `${target} exists already; with --force it is replaced, and kept under another name`,
      )
    remove(staged)
    copyFileSync(file, staged, constants.COPYFILE_FICLONE)
    chmodSync(staged, 0o600)
    const contents = await readContents(staged)
    assertKeys(contents, keyring)
    assertSteps(contents, migrations)
    await prepare(staged)
    failpoint('before:restore')
    const aside = existsSync(target) ? await putAside(target) : undefined
    failpoint('within:restore')
    publish(staged, target)
    return { ...contents, aside }
  } catch (cause) {
    remove(staged)
    if (isGatewayError(cause)) throw cause
    throw commandFailed(`${file} could not be restored: ${reasonOf(cause)}`)
  } finally {
    await release()
  }
}

function assertKeys({ sessions }: Contents, keyring: Keyring): void {
  for (const { id, kid, wrapped } of sessions) {
    try {
      keyring.unwrap({ kid, wrapped }, id)
    } catch (cause) {
      const reason = isGatewayError(cause)
        ? `there is no master key "${kid}" here`
        : `the master key "${kid}" is another one`
      throw commandFailed(
        `the copy can not be read with these master keys: ${reason}. Set WAMUX_KEYS, or put the file "master-key" of the gateway that made the copy into the data folder. Nothing was changed`,
      )
    }
  }
}

function assertSteps({ steps }: Contents, migrations: RestoreOptions['migrations']): void {
  for (const [owner, known] of Object.entries(migrations)) {
    const run = steps.get(`migrations_${prefixOf(owner).slice(0, -1)}`) ?? []
    const unknown = run.find((step) => !(step in known))
    if (unknown)
      throw commandFailed(
        `the copy comes from a newer version: ${owner === 'kernel' ? 'the kernel' : `plugin "${owner}"`} has no migration "${unknown}" here. Nothing was changed`,
      )
  }
}

/** Makes an old copy safe to continue from. */
async function prepare(staged: string): Promise<void> {
  const copy = await openSqliteFile(staged)
  try {
    const [keys] = await copy.all('SELECT 1 FROM sqlite_master WHERE name = ?', [KEYS_TABLE])
    const types = RATCHETS.map(() => '?').join(', ')
    await copy.all('PRAGMA secure_delete = ON')
    if (keys) await copy.all(`DELETE FROM ${KEYS_TABLE} WHERE type IN (${types})`, RATCHETS)
    // Clients of GET /events hold numbers beyond the copy and would miss new events with the same numbers.
    await copy.all("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'events'", [SKIPPED_EVENTS])
  } finally {
    await copy.close()
  }
}

/** Gives the old database a second name, after writing its log into it if it can still be opened. */
async function putAside(target: string): Promise<string> {
  const aside = `${target}.replaced-${new Date().toISOString().replace(/[:.]/g, '-')}`
  try {
    const old = await openSqliteFile(target)
    await old.all('PRAGMA wal_checkpoint(TRUNCATE)').finally(() => old.close())
  } catch {
    // It is damaged, which is why it is replaced.
  }
  for (const part of ['-wal', '-shm', '-journal'])
    if (existsSync(target + part)) renameSync(target + part, aside + part)
  try {
    // It keeps both names until the copy replaces it, so there is always a database.
    linkSync(target, aside)
  } catch {
    copyFileSync(target, aside, constants.COPYFILE_EXCL)
  }
  return aside
}

function remove(file: string): void {
  for (const part of ['', '-wal', '-shm', '-journal']) rmSync(file + part, { force: true })
}
