import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'

/** The challenge of one ceremony, as stored by the server. */
export interface ExpectedAssertion {
  readonly challenge: string
  readonly rpId: string
  readonly origin: string
  /** Public keys (SPKI) by credential id, base64url. */
  readonly credentials: ReadonlyMap<string, Buffer>
}

/** User present, and verified by finger or PIN. */
const FLAGS = 0x01 | 0x04

/** A key in the format of `AuthenticatorAttestationResponse.getPublicKey()`: SPKI of a P-256 key. Throws for any other. */
export function readPublicKey(spki: Buffer): KeyObject {
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('it is not a P-256 key')
  return key
}

/**
 * Verifies a WebAuthn assertion (W3C WebAuthn 3, §7.2) as JSON with base64url values.
 *
 * @throws with the first error found.
 */
export function verifyAssertion(expected: ExpectedAssertion, credentialId: Buffer, json: Buffer): void {
  const { id, rawId, type, response } = JSON.parse(json.toString('utf8')) as Record<string, unknown> & {
    response: Record<string, string>
  }
  const spki = expected.credentials.get(credentialId.toString('base64url'))
  if (!spki) throw new Error('the credential does not belong to the account')
  if (id !== rawId || id !== credentialId.toString('base64url')) throw new Error('the ids differ')
  if (type !== 'public-key') throw new Error('the type is wrong')
  const clientData = bytes(response['clientDataJSON'])
  const client = JSON.parse(clientData.toString('utf8')) as Record<string, unknown>
  if (client['type'] !== 'webauthn.get') throw new Error('the client data belong to another call')
  if (client['challenge'] !== expected.challenge) throw new Error('it answers another challenge')
  if (client['origin'] !== expected.origin) throw new Error('the origin is wrong')
  const data = bytes(response['authenticatorData'])
  if (!data.subarray(0, 32).equals(sha256(Buffer.from(expected.rpId)))) throw new Error('the RP ID is wrong')
  if (((data[32] ?? 0) & FLAGS) !== FLAGS) throw new Error('the user was not verified')
  const signed = Buffer.concat([data, sha256(clientData)])
  if (!verify('sha256', signed, readPublicKey(spki), bytes(response['signature'])))
    throw new Error('the signature is wrong')
}

function bytes(text: string | undefined): Buffer {
  if (!text || !/^[A-Za-z0-9_-]+$/.test(text)) throw new Error('a value is not base64url without padding')
  return Buffer.from(text, 'base64url')
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}
