import { expect } from 'chai'
import { openKeyring } from '../../../kernel/vault/keyring.ts'

const key = (fill: number): string => Buffer.alloc(32, fill).toString('base64')

describe('the keyring', () => {
  it('refuses a ring that it can not read, and names it', () => {
    for (const ring of ['', 'k1', `k1:${Buffer.alloc(16).toString('base64')}`, `k1:${key(1)},k1:${key(2)}`]) {
      expect(() => openKeyring(ring), ring).to.throw('keys')
    }
  })
})
