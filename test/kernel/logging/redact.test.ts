import { expect } from 'chai'
import { addRedactions, createRedaction } from '../../../kernel/logging/redact.ts'

describe('redaction', () => {
  const { text, value } = createRedaction((user) => `<${user}>`)

  it('cuts what stands under the name of a secret, at any depth and in any case', () => {
    const line = { Token: 'a', headers: [{ Authorization: 'b', accept: 'c' }], data: { deep: 1 } }
    expect(value(line)).to.deep.equal({
      Token: '[redacted]',
      headers: [{ Authorization: '[redacted]', accept: 'c' }],
      data: '[redacted]',
    })
  })

  it('takes further names', () => {
    expect(value({ pinCode: 'x' })).to.deep.equal({ pinCode: 'x' })
    addRedactions(['PinCode'])
    expect(value({ pinCode: 'x' })).to.deep.equal({ pinCode: '[redacted]' })
  })

  it('replaces numbers of people, and keeps the device behind one', () => {
    expect(text('to 491511234567:3@host, +491511234567')).to.equal(
      'to <491511234567>:3@host, +<491511234567>',
    )
    expect(text('/chat/%2B491511234567')).to.equal('/chat/%2B<491511234567>')
    expect(value({ 491511234567: [491511234567, '12@g'] })).to.deep.equal({
      '<491511234567>': [491511234567, '<12>@g'],
    })
  })

  it('keeps ids, short numbers, names of files, and versions', () => {
    for (const kept of ['3EB0123456789ABCDEF0', 'took 123456 ms', '12345678-1234-4123-8123-123456789012'])
      expect(text(kept)).to.equal(kept)
    const kept = { file: '/srv/20261121/x', version: '2.3000.1043857760' }
    expect(value(kept)).to.deep.equal(kept)
  })

  it('shows an error without what it carries, bytes by their number, and nothing that has no end', () => {
    const error = Object.assign(new TypeError('no 491511234567'), { body: 'secret' })
    const shown = value({ err: error, bytes: Buffer.alloc(3) }) as {
      err: Record<string, string>
      bytes: string
    }
    expect(shown.err).to.include({ type: 'TypeError', reason: 'no <491511234567>' })
    expect(Object.keys(shown.err)).to.have.members(['type', 'reason', 'stack'])
    expect(shown.bytes).to.equal('[3 bytes]')
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    expect(JSON.stringify(value(circle))).to.include('[deeper]')
  })
})
