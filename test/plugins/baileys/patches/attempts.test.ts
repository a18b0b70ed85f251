import { expect } from 'chai'
import { createLibsignalDevice } from '../../../support/clients/libsignal.ts'

describe('attempts patch', () => {
  it('lets two devices decrypt each other after simultaneous first messages, with two sessions each', async () => {
    const [ana, bea] = [createLibsignalDevice(), createLibsignalDevice()]
    await Promise.all([ana.open('bea', bea.bundle), bea.open('ana', ana.bundle)])
    for (let i = 0; i < 6; i += 1) {
      const text = `both ${i}`
      const [fromAna, fromBea] = await Promise.all([ana.encrypt('bea', text), bea.encrypt('ana', text)])
      expect(await ana.decrypt('bea', fromBea.type, fromBea.ciphertext)).to.equal(text)
      expect(await bea.decrypt('ana', fromAna.type, fromAna.ciphertext)).to.equal(text)
    }
  })
})
