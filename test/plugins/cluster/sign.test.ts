import { expect } from 'chai'
import { createClientMarks, createSigner, createVerifier } from '../../../plugins/cluster/sign.ts'
import { SECRET } from '../../cluster/nodes.ts'

const REQUEST = { method: 'POST', path: '/send/text?a=b' }

describe('the signature of a request between nodes', () => {
  const sign = createSigner(SECRET, 'a-1')

  it('is valid once, whatever the clocks of the nodes show', () => {
    const verify = createVerifier(SECRET, 'b-1')
    const signature = sign('b-1', REQUEST)
    const { now } = Date
    Date.now = () => now() + 3_600_000
    try {
      expect(verify(REQUEST, signature)).to.equal('valid')
    } finally {
      Date.now = now
    }
    expect(verify(REQUEST, signature)).to.equal('elsewhere')
  })

  it('covers method, path, sender and number, and needs the secret', () => {
    const verify = createVerifier(SECRET, 'b-1')
    const signature = sign('b-1', REQUEST)
    const [to, from, number, mac] = signature.split(',')
    for (const forged of [
      [to, 'a-2', number, mac],
      [to, from, Number(number) + 1, mac],
      [to, from, number, ''],
      [to, from, number],
    ])
      expect(verify(REQUEST, forged.join()), forged.join()).to.equal('forged')
    expect(verify({ ...REQUEST, method: 'GET' }, signature)).to.equal('forged')
    expect(verify({ ...REQUEST, path: '/' }, signature)).to.equal('forged')
    expect(verify(REQUEST, createSigner(SECRET.toUpperCase(), 'a-1')('b-1', REQUEST))).to.equal('forged')
    // Of the format that had a time in it.
    expect(verify(REQUEST, `${Math.floor(Date.now() / 1000)}.abc`)).to.equal('forged')
    expect(verify(REQUEST, signature)).to.equal('valid')
  })

  it('is refused without a fault by a process that has followed the one it was meant for', () => {
    expect(createVerifier(SECRET, 'b-2')(REQUEST, sign('b-1', REQUEST))).to.equal('elsewhere')
  })

  it('is valid in any order, and not after very many others', () => {
    const verify = createVerifier(SECRET, 'c-1')
    const signatures = Array.from({ length: 40_000 }, () => sign('c-1', REQUEST))
    const at = (index: number) => verify(REQUEST, signatures[index] ?? '')
    expect([at(5), at(0), at(3), at(5), at(0)]).to.deep.equal([
      'valid',
      'valid',
      'valid',
      'elsewhere',
      'elsewhere',
    ])
    expect(at(16_000)).to.equal('valid')
    expect([at(1), at(2), at(3)]).to.deep.equal(['valid', 'valid', 'elsewhere'])
    expect(at(39_000)).to.equal('valid')
    expect([at(4), at(16_000), at(38_999), at(38_999)]).to.deep.equal([
      'elsewhere',
      'elsewhere',
      'valid',
      'elsewhere',
    ])
  })
})

describe('the mark of a client that a node passes on', () => {
  const marks = createClientMarks(SECRET)
  it('is bound to the request and the address, and needs the secret', () => {
    const mark = marks.mark('one', '203.0.113.7')
    expect(marks.read('one', mark)).to.equal('203.0.113.7')
    expect(marks.read('one', marks.mark('one', '2001:db8::7'))).to.equal('2001:db8::7')
    for (const [signature, given] of [
      ['two', mark],
      ['one', mark.replace('.7', '.8')],
      ['one', '203.0.113.7'],
      ['one', ''],
      ['one', createClientMarks(SECRET.toUpperCase()).mark('one', '203.0.113.7')],
    ] as const)
      expect(marks.read(signature, given), given).to.equal(undefined)
  })
})
