import { createRequire } from 'node:module'
import {
  calculateAgreement,
  calculateSignature,
  generateKeyPair,
  verifySignature,
} from 'whatsapp-rust-bridge'

interface CurveModule {
  generateKeyPair(): { pubKey: Buffer; privKey: Buffer }
  calculateAgreement(publicKey: Buffer, privateKey: Buffer): Buffer
  calculateSignature(privateKey: Buffer, message: Buffer): Buffer
  verifySignature(publicKey: Buffer, message: Buffer, signature: Buffer): boolean
}

const curve = createRequire(import.meta.url)('libsignal/src/curve.js') as CurveModule

/**
 * Roots of local networks that links have connected to, accepted besides WhatsApp's. Empty in a gateway that connects to
 * WhatsApp.
 */
const pinned = new Set<string>()
/** WhatsApp's root, as pinned by Baileys (Defaults/index.js, WA_CERT_DETAILS). */
let whatsappRoot: Buffer | undefined

/** Replaces libsignal's curve functions, which Baileys and the rest of libsignal copy when they are loaded. */
export function patchCurve(): void {
  patchSignatures()
  useFastKeys()
}

/** A wrong signature throws, a correct one is accepted. */
export function verifyCurve(): boolean {
  const { pubKey, privKey } = curve.generateKeyPair()
  const message = Buffer.from('wamux')
  const signature = curve.calculateSignature(privKey, message)
  if (!isSigned(pubKey, message, signature) || !curve.verifySignature(pubKey, message, signature))
    return false
  try {
    curve.verifySignature(pubKey, Buffer.from('other'), signature)
    return false
  } catch {
    return true
  }
}

/** Accepts, in this process, Noise certificates that lead to `root` (32 bytes). */
export function trust(root: Buffer): void {
  pinned.add(root.toString('hex'))
}

/** Sets WhatsApp's root key; certificates checked with it may also lead to a root of `trust`. */
export function setWhatsappRoot(root: Buffer): void {
  whatsappRoot = Buffer.from(root)
}

/**
 * Whether `signature` (64 bytes) over `message` was made by the owner of `publicKey` (32 bytes, or 33 with
 * the type byte).
 */
export function isSigned(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const key = publicKey.length === 33 ? publicKey.subarray(1) : publicKey
  if (key.length !== 32 || signature.length !== 64) return false
  try {
    return verifySignature(key, message, signature)
  } catch {
    return false
  }
}

/**
 * Key pairs and agreements by WASM, with the same results in a quarter of the time that OpenSSL needs for its key objects
 * (a new link makes 812 prekeys at once). Both are compared with libsignal's own before they are used.
 *
 * JWK would be as fast, but Node 20 holds the key's lock while it builds the strings, and a garbage collection that ends
 * the key's own job in the meantime deadlocks on that lock.
 */
function useFastKeys(): void {
  const { generateKeyPair: pairOf, calculateAgreement: agreed } = curve
  const agreeFast = (publicKey: Buffer, privateKey: Buffer): Buffer =>
    publicKey.length === 33 && privateKey.length === 32
      ? Buffer.from(calculateAgreement(publicKey, privateKey))
      : agreed(publicKey, privateKey)
  try {
    const [own, theirs] = [newKeyPair(), pairOf()]
    const secret = agreed(theirs.pubKey, own.privKey)
    if (!secret.equals(agreed(own.pubKey, theirs.privKey))) return
    curve.generateKeyPair = newKeyPair
    if (secret.equals(agreeFast(theirs.pubKey, own.privKey))) curve.calculateAgreement = agreeFast
  } catch {
    // libsignal's own functions stay: slower, with the same results.
  }
}

function newKeyPair(): { pubKey: Buffer; privKey: Buffer } {
  const { pubKey, privKey } = generateKeyPair()
  return { pubKey: Buffer.from(pubKey), privKey: Buffer.from(privKey) }
}

/**
 * Changes libsignal's signatures, for Baileys and everything below it.
 *
 * - `verifySignature` returns false for a wrong signature and every caller ignores the result (Baileys Utils/crypto.js
 *   `Curve.verify`, libsignal session_builder.js), so that neither the Noise certificate nor the account signature nor a
 *   signed prekey is checked. Here it throws, which every caller handles.
 * - Both are pure JavaScript, about 10 ms each, with two for every group message. WASM computes the same XEdDSA in a tenth
 *   of a millisecond; it is compared with what libsignal made before it is used.
 */
function patchSignatures(): void {
  const verify = curve.verifySignature
  const isSame = doesSignAlike()
  const check = isSame ? isSigned : verify
  if (isSame) curve.calculateSignature = (key, message) => Buffer.from(calculateSignature(key, message))
  curve.verifySignature = (publicKey, message, signature) => {
    const isRoot = pinned.size > 0 && whatsappRoot?.equals(publicKey.subarray(-32))
    const isAccepted =
      check(publicKey, message, signature) ||
      (isRoot && [...pinned].some((root) => check(Buffer.from(`05${root}`, 'hex'), message, signature)))
    if (!isAccepted) throw new Error('Invalid signature')
    return true
  }
}

/** A signature made by libsignal's own function; making and verifying one at each start would take 0.1 s. */
const KNOWN = {
  privateKey: Buffer.from('AAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHB0c=', 'base64'),
  publicKey: Buffer.from('BRO+T+rq8gTH/TNY/JwAchiB0XQngSgifsZ0839/6Xtt', 'base64'),
  message: Buffer.from('wamux'),
  signature: Buffer.from(
    'vB02GwKim5Crj9/Gclkv472MgosH17It5R2+olzsEYInkk2QosZaKJylW3BY7qCSuf8onhx5PflZ/g9rxE4zDw==',
    'base64',
  ),
}

function doesSignAlike(): boolean {
  const { privateKey, publicKey, message, signature } = KNOWN
  try {
    const isOwn = isSigned(publicKey, message, calculateSignature(privateKey, message))
    return isOwn && isSigned(publicKey, message, signature) && !isSigned(publicKey, publicKey, signature)
  } catch {
    return false
  }
}
