import { expect } from 'chai'
import { regressions, toMarkdown } from './report.ts'
import type { Outcome } from './run.ts'

const outcome = (client: string, area: string, result: Outcome['result'], reason = ''): Outcome => ({
  client,
  area,
  result,
  reason,
})
const OUTCOMES = [
  outcome('Client 1', 'text both ways', 'passed'),
  outcome('Client 1', 'calls: rejected', 'failed', 'no answer\nin time'),
  outcome('Client 2', 'text both ways', 'not offered', 'no texts'),
  outcome('Client 2', 'calls: rejected', 'passed'),
]

describe('the report of a conformance run', () => {
  it('lists each area by client, and the reasons', () => {
    const lines = toMarkdown(OUTCOMES).split('\n')
    expect(lines).to.include.members([
      '| Area | Client 1 | Client 2 |',
      '| text both ways | passed | not offered |',
      '| calls: rejected | failed | passed |',
      '- Client 1, calls: rejected: failed, no answer in time',
      '- Client 2, text both ways: not offered, no texts',
    ])
  })

  it('has no ids of a run in its reasons', () => {
    const reason = 'shown in 99529673559997:99@hosted.lid: 3EB0AA508D51FD27951E6A: no prekey 1'
    expect(toMarkdown([outcome('Client 1', 'edits', 'failed', reason)])).to.include(
      'failed, shown in …:99@hosted.lid: 3EB0…: no prekey 1',
    )
  })

  it('shows which areas were listed as passed and have failed since', () => {
    const later = OUTCOMES.map((one) => ({ ...one, result: 'failed' as const }))
    expect(
      regressions(later, toMarkdown(OUTCOMES)).map(({ client, area }) => `${client} ${area}`),
    ).to.deep.equal(['Client 1 text both ways', 'Client 2 calls: rejected'])
    expect(regressions(OUTCOMES, toMarkdown(later))).to.deep.equal([])
    expect(regressions(later, '# Conformance')).to.deep.equal([])
  })
})
