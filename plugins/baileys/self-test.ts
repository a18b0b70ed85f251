import { createRequire } from 'node:module'
import { gatewayError } from 'wamux/plugin'
import { DEFAULT_CONNECTION_CONFIG, PATCHES } from './baileys.ts'
import { omitted } from './patches/omitted.ts'
import { SOCKET_PATCHES } from './socket/patches.ts'

const VERSION = '7.0.0-rc14'

/**
 * Rejects CONFIG_INVALID, which prevents the start, if the installed Baileys is not the version for which the patches were
 * made, or if a patch is not in effect: a changed order of events would lose messages without an error.
 */
export function selfTest(): Promise<void> {
  // What it looks at is the same for all gateways of a process.
  result ??= check()
  return result
}

let result: Promise<void> | undefined

async function check(): Promise<void> {
  const { version } = createRequire(import.meta.url)('@whiskeysockets/baileys/package.json') as {
    version: string
  }
  if (version !== VERSION) fail(`version ${version} is installed, ${VERSION} is required`)
  if (typeof DEFAULT_CONNECTION_CONFIG.makeSignalRepository !== 'function')
    fail('its defaults have no makeSignalRepository')
  if (omitted.isTolerated) return
  for (const { name, seam, verify } of [...PATCHES, ...SOCKET_PATCHES]) {
    if (!(await verify())) fail(`the patch "${name}" of ${seam} is not in effect`)
  }
}

function fail(why: string): never {
  throw gatewayError('CONFIG_INVALID', [`the installed Baileys can't be used: ${why}`])
}
