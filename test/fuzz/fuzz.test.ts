import { expect } from 'chai'
import { sized, whole } from '../support/run/whole.ts'
import { type Answered, judge } from './judge.ts'
import { fuzz } from './run.ts'

/** Bytes a request: what the log of events and the bounded caches of a young gateway take is well below. */
const GROWTH_MOST = 8_192
const REQUESTS = sized(2_000, 160)

describe('fuzzing', function () {
  this.timeout(300_000)
  // Always the same, so that a run can be compared with the one before; `npm run fuzz` tries others.
  const seed = 1

  it(`asks every route, ${REQUESTS} times in all, with seed ${seed}: nothing breaks, hangs or grows`, async () => {
    const report = await fuzz({ seed, requests: REQUESTS })
    expect(report.failures, report.failures.join('\n')).to.have.length(0)
    expect(report.requests).to.be.at.least(REQUESTS)
    for (const status of [200, 400, 404])
      expect(report.statuses.get(status), `${status}`).to.be.above(REQUESTS / 40)
    expect(report.growth, 'bytes a request').to.be.below(GROWTH_MOST)
  })

  whole.it('sees a gateway grow that keeps something of each request', async () => {
    const leak = await fuzz({ seed, requests: 200, only: '/server/ok', imports: ['./test/fuzz/leak.ts'] })
    expect(leak.growth).to.be.above(GROWTH_MOST)
  })

  it('has a judge that lets nothing pass', () => {
    const schema = { type: 'object', properties: { Phone: { type: 'string' } } }
    const verdict = (status: number, error: string, more: Partial<Answered> = {}): string => {
      const text = JSON.stringify({ code: status, error, success: false })
      try {
        judge({ status, text, isChanged: false, isPlain: false, ...more }, schema)
        return ''
      } catch (fault) {
        return (fault as Error).message
      }
    }
    expect(verdict(400, 'Missing Phone in Payload')).to.equal('')
    expect(verdict(502, 'Failed to pin: forbidden (406)')).to.equal('')
    expect(verdict(400, 'Something is wrong')).to.include('names no field')
    expect(verdict(500, 'Internal error')).to.include('did not cause')
    expect(verdict(502, 'Failed to pin: Cannot read properties of undefined')).to.include('did not cause')
    expect(verdict(503, 'busy')).to.include('did not cause')
    expect(verdict(504, 'WhatsApp did not answer in time')).to.include('did not cause')
    expect(verdict(403, 'WhatsApp refused: no', { isChanged: true })).to.include('changed the network')
    expect(verdict(200, 'fine')).to.include('not the envelope')
    expect(verdict(404, '', { text: '<html>' })).to.include('no JSON')
    expect(verdict(404, '', { text: '{"code":400,"error":"x","success":false}' })).to.include('envelope')
  })
})
