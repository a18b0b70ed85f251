import '../../../../plugins/baileys/baileys.ts'
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { deriving, verifyKeyDerivation } from '../../../../plugins/baileys/patches/key-derivation.ts'
import { patchedModule } from '../../../support/clients/patched-module.ts'

interface Crypto {
  deriveSecrets(input: Buffer, salt: Buffer, info: Buffer, chunks?: number): Buffer[]
}

describe('key-derivation patch', () => {
  const { ours, theirs } = patchedModule<Crypto>('libsignal/src/crypto.js')
  const salt = Buffer.alloc(32)

  it('replaces the function of libsignal', () => {
    expect(verifyKeyDerivation()).to.equal(true)
    expect(ours.deriveSecrets).not.to.equal(theirs.deriveSecrets)
  })

  it('derives what libsignal derives', () => {
    for (const info of ['WhisperMessageKeys', 'WhisperRatchet', 'WhisperText', 'another purpose', 'é'])
      for (const chunks of [undefined, 1, 2, 3])
        for (const length of [32, 128]) {
          const given = [randomBytes(length), randomBytes(32), Buffer.from(info), chunks] as const
          expect(ours.deriveSecrets(...given), info).to.deep.equal(theirs.deriveSecrets(...given))
        }
  })

  it('refuses what libsignal refuses', () => {
    const [input, info] = [Buffer.alloc(32), Buffer.from('WhisperText')]
    expect(() => ours.deriveSecrets(input, Buffer.alloc(31), info)).to.throw('salt of incorrect length')
    expect(() => ours.deriveSecrets(new Uint8Array(32) as Buffer, salt, info)).to.throw('Expected Buffer')
    expect(() => ours.deriveSecrets(input, salt, info, 4)).to.throw()
  })

  it('keeps the function of libsignal where the results differ', () => {
    const differing = (): Buffer[] => [Buffer.alloc(96)]
    expect(deriving(differing)).to.equal(differing)
  })
})
