import {
  createDecipheriv,
  createHash,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
} from 'node:crypto'
import { expect } from 'chai'
import { proto } from '../../../../plugins/baileys/baileys.ts'
import {
  beginAttempt,
  comparisonCode,
  handoffKeyOf,
  handoffProof,
  readPrimary,
  sealRequest,
} from '../../../../plugins/baileys/pairing/passkey.ts'

const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest()

/** A primary whose key pair is made and used by Node's own crypto. */
function primaryPair() {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  return { publicKey: publicKey.export({ format: 'der', type: 'spki' }).subarray(-32), privateKey }
}

describe('the payloads of linking with a passkey', () => {
  it('commit to the ephemeral identity with the nonce, in the device type of the registration', () => {
    const attempt = beginAttempt('2@ref')
    const prologue = proto.ProloguePayload.decode(attempt.prologue)
    const identity = prologue.companionEphemeralIdentity ?? new Uint8Array()
    const { publicKey, deviceType, ref } = proto.CompanionEphemeralIdentity.decode(identity)
    expect(Buffer.from(publicKey ?? [])).to.deep.equal(Buffer.from(attempt.ephemeral.public))
    expect([publicKey?.length, deviceType, ref]).to.deep.equal([32, 1, '2@ref'])
    expect(Buffer.from(prologue.commitment?.hash ?? [])).to.deep.equal(sha256(identity, attempt.nonce))
    expect(attempt.nonce.equals(beginAttempt('2@ref').nonce)).to.equal(false)
  })

  it('show a code of five bytes in the alphabet without 0, I, O and U', () => {
    const nonce = Buffer.alloc(32, 1)
    const publicKey = Buffer.alloc(32, 2)
    const digest = sha256(nonce, publicKey)
    // XOR with the digest itself leaves zeros, with its complement ones.
    const same = { publicKey, nonce: digest }
    const inverse = { publicKey, nonce: Buffer.from(digest.map((byte) => byte ^ 0xff)) }
    expect(comparisonCode(nonce, same)).to.equal('1111-1111')
    expect(comparisonCode(nonce, inverse)).to.equal('ZZZZ-ZZZZ')
    const one = Buffer.from(digest)
    one.writeUInt8(one.readUInt8(4) ^ 10, 4)
    expect(comparisonCode(nonce, { publicKey, nonce: one })).to.equal('1111-111B')
  })

  it('are encrypted for the phone, with the readable text as salt', () => {
    const attempt = beginAttempt('2@abc')
    const primary = primaryPair()
    const keys = { noise: Buffer.alloc(32, 3), identity: Buffer.alloc(32, 4), secret: Buffer.alloc(32, 5) }
    const sealed = sealRequest(attempt, { publicKey: primary.publicKey, nonce: Buffer.alloc(32) }, keys)
    const { iv, encryptedPayload } = proto.EncryptedPairingRequest.decode(sealed)
    const header = Buffer.from('302a300506032b656e032100', 'hex')
    const der = Buffer.concat([header, Buffer.from(attempt.ephemeral.public)])
    const shared = diffieHellman({
      privateKey: primary.privateKey,
      publicKey: createPublicKey({ key: der, format: 'der', type: 'spki' }),
    })
    const key = hkdfSync(
      'sha256',
      shared,
      'Companion Pairing 1 with ref 2@abc',
      'Pairing Information Encryption Key',
      32,
    )
    const payload = Buffer.from(encryptedPayload ?? [])
    const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key), iv ?? new Uint8Array())
    decipher.setAuthTag(payload.subarray(-16))
    const plain = Buffer.concat([decipher.update(payload.subarray(0, -16)), decipher.final()])
    const request = proto.PairingRequest.decode(plain)
    expect(iv).to.have.length(12)
    expect(Buffer.from(request.companionPublicKey ?? [])).to.deep.equal(keys.noise)
    expect(Buffer.from(request.companionIdentityKey ?? [])).to.deep.equal(keys.identity)
    expect(Buffer.from(request.advSecret ?? [])).to.deep.equal(keys.secret)
  })

  it('prove the scanned code by a key of its secret', () => {
    const secret = Buffer.alloc(32, 6)
    const key = Buffer.from(hkdfSync('sha256', secret, '', 'shortcake-passkey-handoff-v1', 32))
    const prologue = Buffer.from('prologue')
    expect(handoffProof(handoffKeyOf(secret.toString('base64')), prologue)).to.deep.equal(
      createHmac('sha256', key).update(prologue).digest(),
    )
  })

  it('accept only an answer of the phone with two values of 32 bytes', () => {
    const of = (publicKey: number, nonce: number) =>
      readPrimary(
        proto.PrimaryEphemeralIdentity.encode({
          publicKey: Buffer.alloc(publicKey, 1),
          nonce: Buffer.alloc(nonce, 2),
        }).finish(),
      )
    expect(of(32, 32)).to.deep.equal({ publicKey: Buffer.alloc(32, 1), nonce: Buffer.alloc(32, 2) })
    expect(of(33, 32)).to.equal(undefined)
    expect(of(32, 5)).to.equal(undefined)
    expect(readPrimary(Buffer.from('not a message'))).to.equal(undefined)
  })
})
