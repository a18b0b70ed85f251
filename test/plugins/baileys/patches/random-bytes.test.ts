import '../../../../plugins/baileys/baileys.ts'
import crypto, { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { pooling, verifyRandomBytes } from '../../../../plugins/baileys/patches/random-bytes.ts'

describe('random-bytes patch', () => {
  it('is in effect, for named imports too', () => {
    expect(verifyRandomBytes()).to.equal(true)
    expect(randomBytes).to.equal(crypto.randomBytes)
  })

  it('gives each value once, in memory of its own', () => {
    const values = Array.from({ length: 2_000 }, () => randomBytes(16))
    expect(new Set(values.map((value) => value.toString('hex'))).size).to.equal(2_000)
    for (const value of values.slice(0, 10)) expect(value.buffer.byteLength).to.equal(16)
    for (const size of [0, 1, 31, 32, 33, 5_000]) expect(randomBytes(size)).to.have.length(size)
  })

  it('passes on long values, callbacks and wrong sizes', async () => {
    const passed: unknown[] = []
    const draw = pooling((...given) => void passed.push(given[0]))
    for (const size of [33, 1e6, -1, 1.5, Number.NaN]) draw(size)
    draw(16, () => undefined)
    expect(passed).to.deep.equal([33, 1e6, -1, 1.5, Number.NaN, 16])
    expect(() => randomBytes(-1)).to.throw(RangeError)
    const drawn = await new Promise((resolve) => randomBytes(16, (_, bytes) => resolve(bytes)))
    expect(drawn).to.have.length(16)
  })
})
