import { createRequire } from 'node:module'
import { gatewayError } from 'wamux/plugin'
import { isSigned } from './curve.ts'
import { wire } from './wire.ts'

const VERSION = '7.0.0-rc14'

/**
 * Refuses to start on a Baileys whose seams are not the ones that the work-arounds here rely on: a silent
 * change of order would lose messages instead of failing.
 */
export function selfTest(): void {
  const { version } = createRequire(import.meta.url)('@whiskeysockets/baileys/package.json') as {
    version: string
  }
  if (version !== VERSION) fail(`version ${version} is installed, ${VERSION} is what it was made for`)
  if (typeof wire.makeSignalRepository !== 'function') fail('makeSignalRepository is gone from its defaults')
  const { public: key, private: secret } = wire.Curve.generateKeyPair()
  const message = Buffer.from('wamux')
  const signature = wire.Curve.sign(secret, message)
  if (!isSigned(key, message, signature)) fail('its signatures are not what the fast ones verify')
  if (wire.Curve.verify(key, Buffer.from('other'), signature)) fail('it accepts wrong signatures')
}

function fail(why: string): never {
  throw gatewayError('CONFIG_INVALID', [`the installed Baileys can't be used: ${why}`])
}
