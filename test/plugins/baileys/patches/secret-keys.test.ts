import '../../../../plugins/baileys/baileys.ts'
import crypto, {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
} from 'node:crypto'
import { expect } from 'chai'
import { verifySecretKeys, withKeyObjects } from '../../../../plugins/baileys/patches/secret-keys.ts'

const raw = Buffer.alloc(32, 7)

describe('secret-keys patch', () => {
  it('passes raw keys on as key objects, and others as they are', () => {
    const passed: unknown[] = []
    const make = withKeyObjects((...given) => void passed.push(given), true)
    const others = ['text', Buffer.alloc(0), createSecretKey(raw)]
    for (const key of [raw, new Uint8Array(raw), ...others]) make('sha256', key, 'more')
    const keys = passed.map((given) => (given as unknown[])[1])
    for (const key of keys.slice(0, 2))
      expect((key as KeyObject).equals(createSecretKey(raw)), String(key)).to.equal(true)
    expect(keys.slice(2)).to.deep.equal(others)
    expect(passed).to.deep.include(['sha256', others[2], 'more'])
  })

  it('is in effect, for named imports too', () => {
    expect(verifySecretKeys()).to.equal(true)
    expect(createHmac).to.equal(crypto.createHmac)
  })

  it('changes no result', () => {
    const mac = (key: Uint8Array | string | KeyObject) => createHmac('sha256', key).update('x').digest('hex')
    expect(mac(raw)).to.equal(mac(createSecretKey(raw)))
    expect(mac('')).to.equal(mac(Buffer.alloc(0)))
    const iv = Buffer.alloc(16, 1)
    const cipher = createCipheriv('aes-256-cbc', raw, iv)
    const sealed = Buffer.concat([cipher.update('hello'), cipher.final()])
    const decipher = createDecipheriv('aes-256-cbc', new Uint8Array(raw), iv)
    expect(decipher.update(sealed, undefined, 'utf8') + decipher.final('utf8')).to.equal('hello')
  })
})
