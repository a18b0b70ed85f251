import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The configured admin token, or the one in the data folder, made at first start and readable by its owner only. */
export function adminTokenOf(config: { adminToken?: string; dataDir: string }): {
  token: string
  file?: string
} {
  if (config.adminToken) return { token: config.adminToken }
  const file = join(config.dataDir, 'admin-token')
  if (!existsSync(file)) {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  }
  return { token: readFileSync(file, 'utf8').trim(), file }
}
