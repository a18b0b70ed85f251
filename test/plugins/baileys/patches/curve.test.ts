import '../../../../plugins/baileys/baileys.ts'
import { expect } from 'chai'
import { patchedModule } from '../../../support/clients/patched-module.ts'

interface Curve {
  generateKeyPair(): { pubKey: Buffer; privKey: Buffer }
  calculateAgreement(publicKey: Buffer, privateKey: Buffer): Buffer
  calculateSignature(privateKey: Buffer, message: Buffer): Buffer
  verifySignature(publicKey: Buffer, message: Buffer, signature: Buffer): boolean
}

describe('curve patch', () => {
  const { ours, theirs } = patchedModule<Curve>('libsignal/src/curve.js')

  it('replaces the functions of libsignal', () => {
    expect(ours.generateKeyPair).not.to.equal(theirs.generateKeyPair)
    expect(ours.calculateAgreement).not.to.equal(theirs.calculateAgreement)
  })

  it('makes key pairs that libsignal accepts, and the same shared secrets', () => {
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

  it('makes signatures that libsignal accepts, and accepts those of libsignal', () => {
    const message = Buffer.from('message')
    const { pubKey, privKey } = theirs.generateKeyPair()
    expect(theirs.verifySignature(pubKey, message, ours.calculateSignature(privKey, message))).to.equal(true)
    expect(ours.verifySignature(pubKey, message, theirs.calculateSignature(privKey, message))).to.equal(true)
    expect(ours.calculateSignature).not.to.equal(theirs.calculateSignature)
    expect(ours.verifySignature).not.to.equal(theirs.verifySignature)
  })

  it('throws on a wrong signature', () => {
    const { pubKey, privKey } = ours.generateKeyPair()
    const signature = ours.calculateSignature(privKey, Buffer.from('message'))
    expect(ours.verifySignature(pubKey, Buffer.from('message'), signature)).to.equal(true)
    expect(() => ours.verifySignature(pubKey, Buffer.from('other'), signature)).to.throw('Invalid signature')
  })

  it('does not deadlock in garbage collection', () => {
    // With keys made by JWK a process hung here, once in some ten thousand keys.
    const held: unknown[] = []
    for (let i = 0; i < 5_000; i += 1) {
      held[i % 100] = Array.from({ length: 200 }, () => ({ ...ours.generateKeyPair }))
      if (i % 5 === 0) expect(ours.generateKeyPair().pubKey[0]).to.equal(5)
    }
  })

  it('refuses the keys that libsignal refuses', () => {
    const { pubKey, privKey } = ours.generateKeyPair()
    expect(() => ours.calculateAgreement(pubKey.subarray(0, 20), privKey)).to.throw('Invalid public key')
    expect(() => ours.calculateAgreement(pubKey, privKey.subarray(0, 20))).to.throw('private key')
  })
})
