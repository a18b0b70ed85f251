import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecretFile } from '../kernel/db/engines/private-file.ts'
import { gatewayError } from '../kernel/errors.ts'

/**
 * The configured admin token, or the one in the data folder, which the first start creates with access for its owner only.
 */
export function adminTokenOf(config: { adminToken?: string; dataDir: string }): {
  token: string
  file?: string
} {
  if (config.adminToken) return { token: config.adminToken }
  const file = join(config.dataDir, 'admin-token')
  if (!existsSync(file)) {
    createSecretFile(file, `${randomBytes(32).toString('hex')}\n`)
  }
  const token = readFileSync(file, 'utf8').trim()
  assertSecret(token, `file ${file}`)
  return { token, file }
}

const MIN_LENGTH = 32
/** A random token has more distinct characters than this. */
const MIN_DIFFERENT = 8
const SAMPLE =
  /change.?(me|this)|example|sample|placeholder|replace.?(me|this)|your.?(own.?)?(admin|token|secret)/i

/**
 * Throws CONFIG_INVALID for a token that can't be sent in a header or is easy to guess: a short one, or a sample from a
 * manual.
 */
export function assertSecret(token: string, place: string): void {
  if (!/^[\x21-\x7e]*$/.test(token))
    throw gatewayError('CONFIG_INVALID', [
      `${place}: the admin token has characters other than visible ASCII, which can't be sent in a header; use the output of "openssl rand -hex 32"`,
    ])
  const isWeak = token.length < MIN_LENGTH || new Set(token).size < MIN_DIFFERENT
  if (!isWeak && !SAMPLE.test(token)) return
  throw gatewayError('CONFIG_INVALID', [
    `${place}: the admin token is too short or a sample; use the output of "openssl rand -hex 32"`,
  ])
}
