import { mkdirSync } from 'node:fs'
import { gatewayError, reasonOf } from '../errors.ts'

/**
 * Creates the folder that plugins are given as `settings.dataDir`, for this user only: with PostgreSQL and secrets from the
 * environment, nothing else does. Throws DATA_FOLDER.
 */
export function createDataFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw gatewayError('DATA_FOLDER', [path, reasonOf(cause)], { cause })
  }
}
