import { reasonOf } from '../../../kernel/errors.ts'
import type { Row } from '../../../kernel/types/storage.ts'
import { openKeyring } from '../../../kernel/vault/keyring.ts'
import type { Keyring } from '../../../kernel/vault/vault.ts'
import { createVault, type SessionVault } from '../../../kernel/vault/vault.ts'
import { existingKeysOf } from '../../master-keys.ts'
import type { Config } from '../../schema.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import type { DataReader } from './reader.ts'

const LOST =
  'restore the master key from its backup, or set WAMUX_KEYS; without it the sessions must be linked again'

/** Checks that the master keys are readable and decrypt the keys of all sessions. */
export async function checkMasterKey(config: Config, reader: DataReader | undefined): Promise<Finding> {
  const sessions = (await reader?.rows('sessions')) ?? []
  let keyring: Keyring
  try {
    keyring = openKeyring(existingKeysOf(config))
  } catch (error) {
    if (sessions.length > 0 || !/no master key/.test(reasonOf(error)))
      return fail('master key', reasonOf(error), LOST)
    return warn('master key', 'there is none yet', 'the first start creates it: back it up then')
  }
  const { closed } = openVault(keyring, sessions)
  if (closed.length === 0) return ok('master key', `"${keyring.active}" opens ${sessions.length} sessions`)
  return fail('master key', `opens ${sessions.length - closed.length} of ${sessions.length} sessions`, LOST)
}

/** A vault of the sessions whose keys the master keys decrypt, and the ids of the others. */
export function openVault(
  keyring: Keyring,
  sessions: readonly Row[],
): { vault: SessionVault; opened: Row[]; closed: string[] } {
  const vault = createVault(keyring)
  const closed: string[] = []
  const opened = sessions.filter((row) => {
    const id = String(row['id'])
    try {
      vault.restore(id, { kid: String(row['key_id']), wrapped: row['key'] as Buffer })
      return true
    } catch {
      closed.push(id)
      return false
    }
  })
  return { vault, opened, closed }
}
