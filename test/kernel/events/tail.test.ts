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

describe('the newest lines of the log', () => {
  it('are given after any seq that they reach back to, and not after an older one', () => {
    const tail = createTail()
    expect(tail.after(0, 10, {})).to.equal(undefined)
    tail.add([line(5), line(6), line(9)], () => 1)
    expect(tail.after(3, 10, {})).to.equal(undefined)
    expect(seqs(tail.after(4, 10, {}))).to.deep.equal([5, 6, 9])
    expect(seqs(tail.after(5, 1, {}))).to.deep.equal([6])
    expect(seqs(tail.after(7, 10, {}))).to.deep.equal([9])
    expect(seqs(tail.after(9, 10, {}))).to.deep.equal([])
    tail.clear()
    expect(tail.after(9, 10, {})).to.equal(undefined)
  })

  it('are given by session and by class, as many as are asked for', () => {
    const tail = createTail()
    tail.add(
      Array.from({ length: 12 }, (_, i) => line(i + 1)),
      () => 1,
    )
    expect(seqs(tail.after(0, 3, { session: 'even' }))).to.deep.equal([2, 4, 6])
    expect(seqs(tail.after(0, 9, { classes: ['Presence'] }))).to.deep.equal([3, 6, 9, 12])
    expect(seqs(tail.after(0, 2, { session: 'odd', classes: ['All'] }))).to.deep.equal([1, 3])
  })

  for (const [what, count, size] of [
    ['many', 50_000, 1],
    ['large', 50, 3_000_000],
  ] as const) {
    it(`stay few when they are ${what}, and say what they no longer hold`, () => {
      const tail = createTail()
      for (let seq = 1; seq <= count; seq += 1) tail.add([line(seq)], () => size)
      expect(tail.after(0, 10, {})).to.equal(undefined)
      let oldest = count
      while (tail.after(oldest - 1, 1, {})) oldest -= 1
      expect(count - oldest).to.be.within(1, 2_000)
      expect((count - oldest) * size).to.be.at.most(8_000_000)
      expect(tail.after(oldest, count, {})).to.have.length(count - oldest)
    })
  }
})
