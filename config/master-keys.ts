import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The configured master keys, or those of a file in the data folder, made at first start for its owner only. */
export function masterKeysOf(config: { keys?: string; dataDir: string }): {
  keys: string
  file?: string
  isNew: boolean
} {
  if (config.keys) return { keys: config.keys, isNew: false }
  const file = join(config.dataDir, 'master-key')
  const isNew = !existsSync(file)
  if (isNew) {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(file, `k1:${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  }
  return { keys: readFileSync(file, 'utf8').trim(), file, isNew }
}
