/**
 * Payloads for linking with a passkey, which WhatsApp calls "shortcake". All facts agree between WhatsApp Web
 * (WAWebShortcakeLinkingAlgorithm, …HandoffProof), whatsmeow (pair-passkey.go) and whatsapp-rust (shortcake.rs).
 */
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { aesEncryptGCM, bytesToCrockford, Curve, proto } from '../baileys.ts'

/** This companion's half of one attempt. */
export interface PasskeyAttempt {
  readonly ephemeral: { readonly public: Uint8Array; readonly private: Uint8Array }
  /** Opens the commitment; sent only after the phone's half has arrived. */
  readonly nonce: Buffer
  readonly ref: string
  /** `ProloguePayload`: this companion's ephemeral identity and a commitment to it. */
  readonly prologue: Buffer
}

/** The phone's half. */
export interface Primary {
  readonly publicKey: Buffer
  readonly nonce: Buffer
}

/**
 * The type with which this companion registers (Utils/validate-connection.js getPlatformType); the phone mixes it into the
 * key.
 */
const DEVICE_TYPE = proto.DeviceProps.PlatformType.CHROME
const HANDOFF_INFO = 'shortcake-passkey-handoff-v1'
const KEY_INFO = 'Pairing Information Encryption Key'
const KEY_BYTES = 32

export function beginAttempt(ref: string): PasskeyAttempt {
  const ephemeral = Curve.generateKeyPair()
  const nonce = randomBytes(32)
  const identity = proto.CompanionEphemeralIdentity.encode({
    publicKey: ephemeral.public,
    deviceType: DEVICE_TYPE,
    ref,
  }).finish()
  const prologue = proto.ProloguePayload.encode({
    companionEphemeralIdentity: identity,
    commitment: { hash: sha256(identity, nonce) },
  }).finish()
  return { ephemeral, nonce, ref, prologue: Buffer.from(prologue) }
}

/**
 * The key of the proof that the phone scanned this companion's code.
 * @param secret its adv secret, base64.
 */
export function handoffKeyOf(secret: string): Buffer {
  return derive(Buffer.from(secret, 'base64'), '', HANDOFF_INFO)
}

export function handoffProof(key: Buffer, prologue: Buffer): Buffer {
  return createHmac('sha256', key).update(prologue).digest()
}

/** Undefined if it can't be decoded, or if a key is missing or has the wrong length. */
export function readPrimary(content: Uint8Array): Primary | undefined {
  try {
    const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(content)
    if (publicKey?.length !== 32 || nonce?.length !== 32) return undefined
    return { publicKey: Buffer.from(publicKey), nonce: Buffer.from(nonce) }
  } catch {
    return undefined
  }
}

/** The code that the phone also shows, unless a third party intercepts: `XXXX-XXXX`, in the alphabet of pairing codes. */
export function comparisonCode(companionNonce: Buffer, primary: Primary): string {
  const digest = sha256(companionNonce, primary.publicKey)
  const bytes = primary.nonce.subarray(0, 5).map((byte, index) => byte ^ (digest[index] ?? 0))
  const code = bytesToCrockford(Buffer.from(bytes))
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** `EncryptedPairingRequest`: this companion's keys and its new adv secret, readable only by the phone. */
export function sealRequest(
  attempt: PasskeyAttempt,
  primary: Primary,
  keys: { noise: Uint8Array; identity: Uint8Array; secret: Buffer },
): Buffer {
  const request = proto.PairingRequest.encode({
    companionPublicKey: keys.noise,
    companionIdentityKey: keys.identity,
    advSecret: keys.secret,
  }).finish()
  const iv = randomBytes(12)
  const key = requestKey(attempt, primary)
  const encryptedPayload = aesEncryptGCM(request, key, iv, Buffer.alloc(0))
  return Buffer.from(proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish())
}

/** The readable text is the salt and the constant is the info, not the other way round. */
function requestKey({ ephemeral, ref }: PasskeyAttempt, { publicKey }: Primary): Buffer {
  const shared = Curve.sharedKey(ephemeral.private, publicKey)
  return derive(shared, `Companion Pairing ${DEVICE_TYPE} with ref ${ref}`, KEY_INFO)
}

function derive(material: Uint8Array, salt: string, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', material, salt, info, KEY_BYTES))
}

function sha256(...parts: Uint8Array[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest()
}
