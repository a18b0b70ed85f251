import { createHash } from 'node:crypto'
import { gatewayError } from 'wamux/plugin'

/** The request options of a WebAuthn assertion, as received from the network (W3C WebAuthn 3, §5.1.7). */
export type PasskeyChallenge = Readonly<Record<string, unknown>>

/** The JSON of `PublicKeyCredential.toJSON()`; all bytes base64url without padding. */
export interface PasskeyCredential {
  readonly id: string
  readonly rawId: string
  readonly type: string
  readonly response: {
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
    readonly userHandle?: string | null | undefined
  }
}

export interface Assertion {
  readonly credentialId: Buffer
  /** The JSON that the network expects, with these fields only. */
  readonly json: Buffer
}

/** Authenticator flag: the user was verified, by fingerprint or PIN. */
const USER_VERIFIED = 0x04
/** SHA-256 of the RP ID, flags, counter. */
const MIN_AUTHENTICATOR_DATA = 37

/**
 * Checks that a credential answers this challenge: an assertion that the network refuses may harm the account. The
 * signature is left to the network, which knows the public key. Throws FIELD_INVALID with the name of the field.
 */
export function readAssertion(challenge: PasskeyChallenge, credential: PasskeyCredential): Assertion {
  const { id, rawId, type, response } = credential
  if (type !== 'public-key') throw invalid('type', 'must be "public-key"')
  const credentialId = decode('rawId', rawId)
  if (id !== rawId) throw invalid('id', 'must equal rawId')
  assertAllowed(challenge, id)
  assertClientData(challenge, decode('response.clientDataJSON', response.clientDataJSON))
  assertAuthenticatorData(challenge, decode('response.authenticatorData', response.authenticatorData))
  decode('response.signature', response.signature)
  const userHandle = response.userHandle || null
  if (userHandle !== null) decode('response.userHandle', userHandle)
  const { clientDataJSON, authenticatorData, signature } = response
  const answer = { id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle } }
  return { credentialId, json: Buffer.from(JSON.stringify(answer)) }
}

function assertAllowed({ allowCredentials }: PasskeyChallenge, id: string): void {
  if (!Array.isArray(allowCredentials) || allowCredentials.length === 0) return
  if (!allowCredentials.some((allowed: { id?: unknown }) => allowed?.id === id))
    throw invalid('id', 'is not a credential that the challenge allows')
}

function assertClientData(options: PasskeyChallenge, data: Buffer): void {
  const field = 'response.clientDataJSON'
  const { type, challenge, origin } = parse(field, data)
  if (type !== 'webauthn.get') throw invalid(field, 'type must be "webauthn.get"')
  if (challenge !== options['challenge']) throw invalid(field, 'answers another challenge')
  if (!isOriginOf(rpIdOf(options), origin))
    throw invalid(field, `origin must be a page of https://${rpIdOf(options)}, not ${String(origin)}`)
}

function assertAuthenticatorData(options: PasskeyChallenge, data: Buffer): void {
  const field = 'response.authenticatorData'
  if (data.length < MIN_AUTHENTICATOR_DATA) throw invalid(field, 'is too short')
  const rpIdHash = createHash('sha256').update(rpIdOf(options)).digest()
  if (!data.subarray(0, 32).equals(rpIdHash)) throw invalid(field, `is not for ${rpIdOf(options)}`)
  const isRequired = options['userVerification'] === 'required'
  if (isRequired && ((data[32] ?? 0) & USER_VERIFIED) === 0)
    throw invalid(field, 'the authenticator has not verified the user')
}

function rpIdOf({ rpId }: PasskeyChallenge): string {
  return typeof rpId === 'string' ? rpId : 'whatsapp.com'
}

function isOriginOf(rpId: string, origin: unknown): boolean {
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' && (hostname === rpId || hostname.endsWith(`.${rpId}`))
}

function parse(field: string, data: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(data.toString('utf8'))
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {}
  throw invalid(field, 'is not the JSON of an authenticator')
}

function decode(field: string, text: string): Buffer {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw invalid(field, 'must be base64url without padding')
  return Buffer.from(text, 'base64url')
}

function invalid(field: string, why: string): Error {
  return gatewayError('FIELD_INVALID', [field, why])
}
