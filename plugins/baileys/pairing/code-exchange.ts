import { randomBytes } from 'node:crypto'
import type { AuthenticationCreds } from '@whiskeysockets/baileys'
import { aesDecryptCTR, aesEncryptGCM, Curve, derivePairingCodeKey, hkdf } from '../baileys.ts'

/**
 * The key shared by the phone and this companion; a different one if the code was mistyped.
 *
 * @param wrapped salt 32 ‖ iv 16 ‖ AES-256-CTR of the phone's ephemeral public key, under a key derived from the code.
 */
export async function openHello(code: string, own: Uint8Array, wrapped: Buffer): Promise<Uint8Array> {
  const key = await derivePairingCodeKey(code, wrapped.subarray(0, 32))
  const ephemeral = aesDecryptCTR(wrapped.subarray(48, 80), key, wrapped.subarray(32, 48))
  return Curve.sharedKey(own, ephemeral)
}

/** This companion's part of the exchange (Socket/messages-recv.js, link_code_companion_reg). */
export function finishOf(
  identityKey: AuthenticationCreds['signedIdentityKey'],
  primaryIdentity: Buffer,
  shared: Uint8Array,
): { /** The adv secret, base64. */ secret: string /** salt 32 ‖ iv 12 ‖ AES-256-GCM */; bundle: Buffer } {
  const random = randomBytes(32)
  const salt = randomBytes(32)
  const iv = randomBytes(12)
  const key = hkdf(shared, 32, { salt, info: 'link_code_pairing_key_bundle_encryption_key' })
  const keys = Buffer.concat([identityKey.public, primaryIdentity, random])
  const sealed = aesEncryptGCM(keys, Buffer.from(key), iv, Buffer.alloc(0))
  const material = Buffer.concat([shared, Curve.sharedKey(identityKey.private, primaryIdentity), random])
  const secret = Buffer.from(hkdf(material, 32, { info: 'adv_secret' })).toString('base64')
  return { secret, bundle: Buffer.concat([salt, iv, sealed]) }
}
