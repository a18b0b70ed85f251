import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gatewayError } from '../kernel/errors.ts'

interface KeySettings {
  keys?: string
  dataDir: string
}

/** The configured master keys, or those in a file of the data folder, which the first start creates for its owner only. */
export function masterKeysOf(config: KeySettings): { keys: string; file?: string; isNew: boolean } {
  if (config.keys) return { keys: config.keys, isNew: false }
  const file = fileOf(config)
  const isNew = !existsSync(file)
  if (isNew) {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(file, `k1:${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  }
  return { keys: readFileSync(file, 'utf8').trim(), file, isNew }
}

/** The same, but creates nothing: throws CONFIG_INVALID when there are no keys yet. */
export function existingKeysOf(config: KeySettings): string {
  if (config.keys) return config.keys
  const file = fileOf(config)
  if (!existsSync(file)) {
    const advice = 'start the gateway once, or configure "keys" or the "dataDir" of the gateway'
    throw gatewayError('CONFIG_INVALID', [`there is no master key in ${file}; ${advice}`])
  }
  return readFileSync(file, 'utf8').trim()
}

function fileOf({ dataDir }: KeySettings): string {
  return join(dataDir, 'master-key')
}
