import { createRequire } from 'node:module'
import { gatewayError, testHooks } from 'wamux/plugin'
import { PATCHES } from './baileys.ts'
import { wire } from './protocol/wire.ts'
import { SOCKET_PATCHES } from './socket/patches.ts'

const VERSION = '7.0.0-rc14'

/**
 * Refuses to start on a Baileys whose seams are not the ones that the patches rely on: a silent change of order would
 * lose messages instead of failing. Rejects CONFIG_INVALID with what is wrong.
 */
export async function selfTest(): Promise<void> {
  const { version } = createRequire(import.meta.url)('@whiskeysockets/baileys/package.json') as {
    version: string
  }
  if (version !== VERSION) fail(`version ${version} is installed, ${VERSION} is what it was made for`)
  if (typeof wire.makeSignalRepository !== 'function') fail('makeSignalRepository is gone from its defaults')
  if (!testHooks.isSelfTested) return
  for (const { name, seam, verify } of [...PATCHES, ...SOCKET_PATCHES]) {
    if (!(await verify())) fail(`the patch "${name}" of ${seam} is not in effect`)
  }
}

function fail(why: string): never {
  throw gatewayError('CONFIG_INVALID', [`the installed Baileys can't be used: ${why}`])
}
