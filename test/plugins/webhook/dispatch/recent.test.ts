import { expect } from 'chai'
import type { Delivery } from '../../../../plugins/webhook/delivery/delivery.ts'
import { createRecent } from '../../../../plugins/webhook/dispatch/recent.ts'

const row = (seq: number, json = '{}'): Delivery => ({ seq, line: { json } }) as Delivery
const rowsOf = (from: number, to: number): Delivery[] =>
  Array.from({ length: to - from + 1 }, (_, index) => row(from + index))

describe('the recent rows of a webhook endpoint', () => {
  it('are given in order', () => {
    const recent = createRecent(() => ({ rows: 10, characters: 1_000 }))
    recent.push(rowsOf(1, 3))
    recent.push(rowsOf(4, 5))
    expect(recent.first()).to.equal(1)
    expect([recent.shift(), recent.shift()].map((delivery) => delivery?.seq)).to.deep.equal([1, 2])
    expect([recent.first(), recent.size()]).to.deep.equal([3, 3])
    recent.clear()
    expect([recent.first(), recent.shift(), recent.size()]).to.deep.equal([undefined, undefined, 0])
  })

  it('lose their oldest half when they are too many or too large', () => {
    const recent = createRecent(() => ({ rows: 10, characters: 100 }))
    recent.push(rowsOf(1, 11))
    expect([recent.first(), recent.size()]).to.deep.equal([7, 5])
    recent.push([row(12, 'x'.repeat(95))])
    expect([recent.first(), recent.size()]).to.deep.equal([10, 3])
    recent.push([row(13, 'x'.repeat(101))])
    expect([recent.first(), recent.size()]).to.deep.equal([undefined, 0])
  })
})
