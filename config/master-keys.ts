import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecretFile } from '../kernel/db/engines/private-file.ts'
import { gatewayError } from '../kernel/errors.ts'

interface KeySettings {
  keys?: string
  dataDir: string
}

/**
 * The configured master keys, or those in a file of the data folder, which the first start creates with access for its owner
 * only.
 */
export function masterKeysOf(config: KeySettings): { keys: string; file?: string; isNew: boolean } {
  if (config.keys) return { keys: config.keys, isNew: false }
  const file = keyFileOf(config)
  const keys = knownKeysOf(config)
  if (keys !== undefined) return { keys, file, isNew: false }
  const created = `k1:${randomBytes(32).toString('base64')}`
  createSecretFile(file, `${created}\n`)
  return { keys: created, file, isNew: true }
}

/** The configured master keys, or those in the file; undefined if there are none yet. */
export function knownKeysOf(config: KeySettings): string | undefined {
  if (config.keys) return config.keys
  const file = keyFileOf(config)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

/** The same, but throws CONFIG_INVALID when there are no keys yet. */
export function existingKeysOf(config: KeySettings): string {
  const keys = knownKeysOf(config)
  if (keys !== undefined) return keys
  const advice = 'start the gateway once, or configure "keys" or the "dataDir" of the gateway'
  throw gatewayError('CONFIG_INVALID', [`there is no master key in ${keyFileOf(config)}; ${advice}`])
}

export function keyFileOf({ dataDir }: { dataDir: string }): string {
  return join(dataDir, 'master-key')
}
