import { expect } from 'chai'
import { servedTwice, tenuresOf } from './tenures.ts'

const at = (second: number): string => new Date(second * 1_000).toISOString()
const line = (second: number, msg: string, fields: object): string =>
  JSON.stringify({ level: 30, time: at(second), ...fields, msg })
const claimed = (second: number, epoch: number): string =>
  line(second, 'session claimed', { session: 's', epoch })

describe('tenures', () => {
  it('accepts a session that is handed over, or claimed after its lease was lost', () => {
    const first = [
      claimed(0, 1),
      line(10.4, 'sessions released', { sessions: ['r', 's'] }),
      claimed(50, 3),
      claimed(55, 4),
    ]
    const second = [claimed(10, 2), line(40, 'lease lost', { session: 's', reason: 'not renewed in time' })]
    expect(servedTwice([...tenuresOf('a', first), ...tenuresOf('b', second)])).to.deep.equal([])
  })

  it('finds a node that serves a session on after another one has claimed it', () => {
    const late = [claimed(0, 1), line(15, 'lease lost', { session: 's', reason: 'another node has it' })]
    const expected = ['s: a in epoch 1 beside b in epoch 2']
    for (const lines of [late, late.slice(0, 1)])
      expect(servedTwice([...tenuresOf('a', lines), ...tenuresOf('b', [claimed(10, 2)])])).to.deep.equal(
        expected,
      )
  })

  it('finds an epoch that two nodes have', () => {
    const first = [claimed(0, 1), line(5, 'sessions released', { sessions: ['s'] })]
    expect(servedTwice([...tenuresOf('a', first), ...tenuresOf('b', [claimed(10, 1)])])).to.have.length(1)
  })
})
