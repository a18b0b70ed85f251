import '../../../../plugins/baileys/baileys.ts'
import { createRequire } from 'node:module'
import { expect } from 'chai'

interface Curve {
  generateKeyPair(): { pubKey: Buffer; privKey: Buffer }
  calculateAgreement(publicKey: Buffer, privateKey: Buffer): Buffer
  calculateSignature(privateKey: Buffer, message: Buffer): Buffer
  verifySignature(publicKey: Buffer, message: Buffer, signature: Buffer): boolean
}

const require = createRequire(import.meta.url)
const PATH = require.resolve('libsignal/src/curve.js')

/** libsignal as it is, beside the one that is mended. */
function unmended(): Curve {
  const mended = require.cache[PATH]
  delete require.cache[PATH]
  const fresh = require(PATH) as Curve
  if (mended) require.cache[PATH] = mended
  return fresh
}

describe('keys that are made and agreed on faster', () => {
  const ours = require(PATH) as Curve
  const theirs = unmended()

  it('are other functions than those of libsignal', () => {
    expect(ours.generateKeyPair).not.to.equal(theirs.generateKeyPair)
    expect(ours.calculateAgreement).not.to.equal(theirs.calculateAgreement)
  })

  it('are keys to libsignal, and agree on the same secrets', () => {
    const message = Buffer.from('message')
    const seen = new Set<string>()
    for (let i = 0; i < 50; i += 1) {
      const [a, b] = [ours.generateKeyPair(), theirs.generateKeyPair()]
      expect(a.pubKey).to.have.length(33)
      expect(a.privKey).to.have.length(32)
      seen.add(a.privKey.toString('hex'))
      const secret = theirs.calculateAgreement(a.pubKey, b.privKey)
      expect(ours.calculateAgreement(a.pubKey, b.privKey)).to.deep.equal(secret)
      expect(ours.calculateAgreement(b.pubKey, a.privKey)).to.deep.equal(secret)
      expect(
        theirs.verifySignature(a.pubKey, message, theirs.calculateSignature(a.privKey, message)),
      ).to.equal(true)
    }
    expect(seen.size).to.equal(50)
  })

  it('refuse a wrong signature with an error, which every caller heeds', () => {
    const { pubKey, privKey } = ours.generateKeyPair()
    const signature = ours.calculateSignature(privKey, Buffer.from('message'))
    expect(ours.verifySignature(pubKey, Buffer.from('message'), signature)).to.equal(true)
    expect(() => ours.verifySignature(pubKey, Buffer.from('other'), signature)).to.throw('Invalid signature')
  })

  it('never wait for themselves while garbage is collected', () => {
    // By way of JWK a process stood still here for good, once in some ten thousand keys.
    const held: unknown[] = []
    for (let i = 0; i < 5_000; i += 1) {
      held[i % 100] = Array.from({ length: 200 }, () => ({ ...ours.generateKeyPair }))
      if (i % 5 === 0) expect(ours.generateKeyPair().pubKey[0]).to.equal(5)
    }
  })

  it('refuse what libsignal refuses', () => {
    const { pubKey, privKey } = ours.generateKeyPair()
    expect(() => ours.calculateAgreement(pubKey.subarray(0, 20), privKey)).to.throw('Invalid public key')
    expect(() => ours.calculateAgreement(pubKey, privKey.subarray(0, 20))).to.throw('private key')
  })
})
