import { expect } from 'chai'
import { createSlots } from '../../../plugins/pacing/pace.ts'

describe('slots', () => {
  const config = { perSecond: 2, burst: 3, chatPauseMs: 1000, jitterMs: 400 }

  it('allow a burst, then keep the rate, and refill while idle', () => {
    let now = 0
    const slots = createSlots(
      config,
      () => now,
      () => 0,
    )
    expect(['a', 'b', 'c', 'd', 'e'].map(slots.reserve)).to.deep.equal([0, 0, 0, 500, 1000])
    now = 10_000
    expect(['f', 'g', 'h', 'i'].map(slots.reserve)).to.deep.equal([0, 0, 0, 500])
  })

  it('pause between two messages of one chat, with jitter', () => {
    const randoms = [0.5, 0.25, 0]
    const slots = createSlots(
      config,
      () => 0,
      () => randoms.shift() ?? 0,
    )
    expect(slots.reserve('a')).to.equal(0)
    expect(slots.reserve('a')).to.equal(1200)
    expect(slots.reserve('b')).to.equal(0)
  })
})
