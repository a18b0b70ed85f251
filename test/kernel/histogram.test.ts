import { expect } from 'chai'
import { createHistogram } from '../../kernel/histogram.ts'

describe('a histogram', () => {
  it('counts each value at the first bound that it does not exceed, and adds all up', () => {
    const histogram = createHistogram([1, 5])
    for (const value of [0, 1, 1.5, 5, 6, 100]) histogram.observe(value)
    expect(histogram.counts).to.deep.equal([2, 2, 2])
    expect(histogram.sum).to.equal(113.5)
  })
})
