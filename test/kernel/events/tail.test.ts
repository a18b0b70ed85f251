import { expect } from 'chai'
import { createTail } from '../../../kernel/events/tail.ts'
import type { LogEvent } from '../../../kernel/plugin.ts'

const line = (seq: number): LogEvent => ({
  seq,
  id: `evt_${seq}`,
  session: seq % 2 ? 'odd' : 'even',
  class: seq % 3 ? 'Message' : 'Presence',
  type: 'Thing' as never,
  lane: '',
  time: '',
  body: {} as never,
})
const seqs = (lines: readonly LogEvent[] | undefined): number[] | undefined => lines?.map(({ seq }) => seq)

describe('the newest lines of this process', () => {
  it('are given after any seq that they reach back to, and not after an older one', () => {
    const tail = createTail()
    expect(tail.own(0, 10)).to.deep.equal([])
    tail.add([line(5), line(6), line(9)], () => 1)
    expect(seqs(tail.own(0, 10))).to.deep.equal([5, 6, 9])
    expect(seqs(tail.own(5, 1))).to.deep.equal([6])
    expect(seqs(tail.own(7, 10))).to.deep.equal([9])
    expect(seqs(tail.own(9, 10))).to.deep.equal([])
    expect([tail.count(5), tail.newest(), tail.since()]).to.deep.equal([2, 9, 0])
  })

  it('are all lines of a session from its first one on, until another process may have logged some', () => {
    const tail = createTail()
    tail.add([line(5), line(6), line(7), line(9), line(11)], () => 1)
    expect(tail.after(4, 10, { session: 'odd' }), 'what was before is not known').to.equal(undefined)
    expect(tail.after(9, 10, { session: 'other' })).to.equal(undefined)
    expect(seqs(tail.after(5, 10, { session: 'odd' }))).to.deep.equal([7, 9, 11])
    expect(seqs(tail.after(6, 10, { session: 'odd', classes: ['Presence'] }))).to.deep.equal([9])
    expect(seqs(tail.after(5, 2, { session: 'odd', classes: ['All'] }))).to.deep.equal([7, 9])
    expect(seqs(tail.after(5, 2, { session: 'odd', types: ['Other'] }))).to.deep.equal([])
    tail.forget('odd')
    expect(tail.after(7, 10, { session: 'odd' })).to.equal(undefined)
    expect(seqs(tail.own(7, 10))).to.deep.equal([9, 11])
    tail.add([line(21), line(23)], () => 1)
    expect(tail.after(11, 10, { session: 'odd' })).to.equal(undefined)
    expect(seqs(tail.after(21, 10, { session: 'odd' }))).to.deep.equal([23])
  })

  it('are dropped with those of the table', () => {
    const tail = createTail()
    tail.add([line(5), line(6), line(7)], () => 1)
    tail.drop(new Map([['odd', 6]]))
    expect(seqs(tail.own(0, 10))).to.deep.equal([6, 7])
  })

  for (const [what, count, size] of [
    ['many', 50_000, 1],
    ['large', 50, 3_000_000],
  ] as const) {
    it(`stay few when they are ${what}, and say what they no longer hold`, () => {
      const tail = createTail()
      for (let seq = 1; seq <= count; seq += 1) tail.add([line(seq)], () => size)
      expect(tail.own(0, 10)).to.equal(undefined)
      const oldest = tail.since()
      expect(tail.own(oldest - 1, 1)).to.equal(undefined)
      expect(count - oldest).to.be.within(1, 2_000)
      expect((count - oldest) * size).to.be.at.most(8_000_000)
      expect(tail.own(oldest, count)).to.have.length(count - oldest)
    })
  }
})
