import { expect } from 'chai'
import { copyFromPool } from '../../../../plugins/baileys/signal/key-memory.ts'
import type { SessionRecord } from '../../../../plugins/baileys/signal/libsignal.ts'
import { createLibsignalDevice } from '../../../support/clients/libsignal.ts'

/** Bytes that the keys of a record keep in memory, those of skipped messages aside. */
function bytesOf(value: unknown, name = ''): number {
  if (Buffer.isBuffer(value)) return value.buffer.byteLength
  if (typeof value !== 'object' || value === null || name === 'messageKeys') return 0
  return Object.entries(value).reduce((sum, [key, part]) => sum + bytesOf(part, key), 0)
}

describe('the keys of a live Signal session', () => {
  /** The most that they kept after a message, in a conversation of some rounds. */
  const most = async (onStore: (record: SessionRecord) => void): Promise<number> => {
    let bytes = 0
    const ana = createLibsignalDevice()
    const bea = createLibsignalDevice((record) => {
      onStore(record)
      bytes = Math.max(bytes, bytesOf(record))
    })
    await ana.open('bea', bea.bundle)
    for (let round = 0; round < 5; round += 1) {
      const { type, ciphertext } = await ana.encrypt('bea', `round ${round}`)
      expect(await bea.decrypt('ana', type, ciphertext)).to.equal(`round ${round}`)
      const answer = await bea.encrypt('ana', `re ${round}`)
      expect(await ana.decrypt('bea', answer.type, answer.ciphertext)).to.equal(`re ${round}`)
    }
    return bytes
  }

  it('keep no more memory than they have bytes', async () => {
    expect(await most(copyFromPool)).to.be.within(200, 600)
  })

  it('keep whole pieces of the pool as libsignal makes them', async () => {
    expect(await most(() => undefined)).to.be.greaterThan(5 * Buffer.poolSize)
  })
})
