import {
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
  timingSafeEqual,
} from 'node:crypto'
import { type GatewayServices, gatewayError } from 'wamux/plugin'
import type { LinkTerms, PasskeyPrimary } from '../../types.ts'
import type { OwnDevice } from './own-device.ts'

type Wire = GatewayServices['wire']

/** The JSON of `PublicKeyCredential.toJSON()`. */
export interface SignedPasskey {
  id: string
  rawId: string
  type: 'public-key'
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle: string }
}

/** A phone's part in linking with a passkey: its own authenticator, and the comparison of codes. */
export interface PhonePasskey {
  /** Signs the request options of a challenge, like an authenticator in a browser. */
  sign(options: Readonly<Record<string, unknown>>, origin?: string): SignedPasskey
  /** Adds the credential of another authenticator to the account. @param publicKey SPKI of a P-256 key. */
  register(id: string, publicKey: Buffer): void
  /** The code that the phone shows, `XXXX-XXXX`; '' if it shows none. */
  readonly code: string
  /** The user compares the companion's code. Throws FIELD_INVALID and refuses the link if they differ. */
  compare(code: string): void
  /** The phone's side of one ceremony. @param secret the adv secret read from the QR code. */
  begin(secret: Buffer, asked: () => void): PasskeyPrimary
}

/** User present and verified, credential backed up. */
const FLAGS = 0x1d
const ORIGIN = 'https://web.whatsapp.com'
/** Without 0, I, O and U. */
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTVWXYZ'

export function createPasskey({ wire, network, account, slot }: OwnDevice): PhonePasskey {
  const own = slot('passkey', () => ({
    credentialId: randomBytes(16).toString('base64url'),
    userHandle: randomBytes(16).toString('base64url'),
    /** PKCS#8. */
    privateKey: undefined as Buffer | undefined,
  }))
  const { credentialId, userHandle } = own
  let shown: { code: string; answer(isEqual: boolean): void } | undefined

  /** The key is generated and registered on first use. */
  function key(): Buffer {
    if (own.privateKey) return own.privateKey
    const { privateKey, publicKey } = newKey()
    network.addPasskey(account, credentialId, publicKey)
    own.privateKey = privateKey
    return privateKey
  }

  return {
    get code() {
      return shown?.code ?? ''
    },
    sign({ challenge, rpId }, origin = ORIGIN) {
      const privateKey = createPrivateKey({ key: key(), format: 'der', type: 'pkcs8' })
      const clientData = Buffer.from(
        JSON.stringify({ type: 'webauthn.get', challenge, origin, crossOrigin: false }),
      )
      const data = Buffer.concat([sha256(Buffer.from(String(rpId))), Buffer.from([FLAGS, 0, 0, 0, 1])])
      return {
        id: credentialId,
        rawId: credentialId,
        type: 'public-key',
        response: {
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', Buffer.concat([data, sha256(clientData)]), privateKey).toString(
            'base64url',
          ),
          userHandle,
        },
      }
    },
    register: (id, publicKey) => network.addPasskey(account, id, publicKey),
    compare(code) {
      if (!shown) throw gatewayError('FIELD_INVALID', ['Code', 'the phone shows no code'])
      const { answer, code: expected } = shown
      shown = undefined
      network.feed.publish('phone', account.phone)
      answer(code === expected)
      if (code !== expected) throw gatewayError('FIELD_INVALID', ['Code', `the phone shows ${expected}`])
    },
    begin(secret, asked) {
      key()
      return primaryOf(wire, secret, asked, (code) => {
        if (!code) return Promise.resolve(true)
        return new Promise((resolve) => {
          shown = { code, answer: resolve }
          network.feed.publish('phone', account.phone)
        })
      })
    },
  }
}

/** @param ask shows a code and resolves with whether the user found it equal; '' if a proof replaces it. */
function primaryOf(
  wire: Wire,
  secret: Buffer,
  asked: () => void,
  ask: (code: string) => Promise<boolean>,
): PasskeyPrimary {
  const { proto, Curve } = wire
  const ephemeral = Curve.generateKeyPair()
  const nonce = randomBytes(32)
  let identity = Buffer.alloc(0)
  let commitment = Buffer.alloc(0)
  let isProven = false
  let answer: Promise<boolean> = Promise.resolve(false)

  return {
    asked,
    begin(prologue, proof) {
      const decoded = proto.ProloguePayload.decode(prologue)
      identity = Buffer.from(decoded.companionEphemeralIdentity ?? [])
      commitment = Buffer.from(decoded.commitment?.hash ?? [])
      if (commitment.length !== 32) throw new Error('the commitment is missing')
      isProven = proof !== undefined && equals(proof, proofOf(secret, prologue))
      return { publicKey: Buffer.from(ephemeral.public), nonce }
    },
    open(opening) {
      if (!equals(sha256(identity, opening), commitment))
        throw new Error('the opening does not match the commitment')
      answer = ask(isProven ? '' : codeOf(nonce, sha256(opening, ephemeral.public)))
    },
    async accept(request): Promise<LinkTerms> {
      const { publicKey, deviceType, ref } = proto.CompanionEphemeralIdentity.decode(identity)
      const shared = Curve.sharedKey(ephemeral.private, publicKey ?? new Uint8Array())
      const salt = `Companion Pairing ${deviceType} with ref ${ref}`
      const sealed = proto.EncryptedPairingRequest.decode(request)
      const key = Buffer.from(hkdfSync('sha256', shared, salt, 'Pairing Information Encryption Key', 32))
      const terms = proto.PairingRequest.decode(open(key, sealed))
      if (!(await answer)) throw new Error('the codes differ')
      return {
        noise: Buffer.from(terms.companionPublicKey ?? []),
        identity: Buffer.from(terms.companionIdentityKey ?? []),
        advSecret: Buffer.from(terms.advSecret ?? []),
      }
    },
  }
}

function open(
  key: Buffer,
  { iv, encryptedPayload }: { iv?: Uint8Array | null; encryptedPayload?: Uint8Array | null },
): Buffer {
  const sealed = Buffer.from(encryptedPayload ?? [])
  const decipher = createDecipheriv('aes-256-gcm', key, iv ?? new Uint8Array(), { authTagLength: 16 })
  decipher.setAuthTag(sealed.subarray(-16))
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
}

function proofOf(secret: Buffer, prologue: Buffer): Buffer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'shortcake-passkey-handoff-v1', 32))
  return createHmac('sha256', key).update(prologue).digest()
}

function codeOf(nonce: Buffer, digest: Buffer): string {
  const bytes = [...nonce.subarray(0, 5)].map((byte, index) => BigInt(byte ^ digest.readUInt8(index)))
  const value = bytes.reduce((sum, byte) => sum * 256n + byte, 0n)
  const letters = Array.from(
    { length: 8 },
    (_, index) => ALPHABET[Number((value >> BigInt(35 - 5 * index)) & 31n)],
  )
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  return {
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }),
  }
}

function equals(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

function sha256(...parts: Uint8Array[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest()
}
