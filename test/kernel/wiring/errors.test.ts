import { expect } from 'chai'
import { createLog } from '../../../kernel/logging/log.ts'
import { definePlugin, type ErrorCode, type ErrorRow, gatewayError } from '../../../kernel/plugin.ts'
import { prepare } from '../../../kernel/wiring/prepare.ts'
import { testGateway } from '../../support/gateway.ts'

const withErrors = (name: string, errors: Record<string, ErrorRow>) => ({
  plugin: definePlugin({ name, version: '1.0.0', api: '^1.0.0', errors }),
})
const made = (code: string, args: readonly unknown[] = []) => gatewayError(code as ErrorCode, args)

describe('errors that plugins bring', () => {
  it('are thrown by their code, with status and text of their own', () => {
    prepare([withErrors('crm', { CRM_OFFLINE: [502, 'The CRM %s does not answer'] })])
    expect(made('CRM_OFFLINE', ['acme'])).to.include({ status: 502, message: 'The CRM acme does not answer' })
  })

  it('say little of a long text, and nothing less of what the operator has done', () => {
    const long = '😀'.repeat(500_000)
    const error = gatewayError('FIELD_INVALID', ['WebhookURL', `"${long}" is not a URL`], { details: long })
    expect(error.message)
      .to.have.length.below(1_100)
      .and.match(/^Invalid WebhookURL: "😀/)
    expect(error.details).to.have.length.below(1_100)
    expect(JSON.stringify(error.message)).not.to.match(/\\\\ud8/i)
    const faults = Array.from({ length: 500 }, (_, at) => `- plugin ${at}`).join('\n')
    expect(gatewayError('START_FAILED', [faults]).message).to.include(faults)
  })

  it('are known to a second copy of the kernel in the process', async () => {
    const copy = (await import(`${'../../../kernel/errors.ts'}?copy`)) as {
      gatewayError: typeof gatewayError
    }
    expect(copy.gatewayError).not.to.equal(gatewayError)
    prepare([withErrors('crm', { CRM_SHARED: [409, 'The CRM is busy'] })])
    expect(copy.gatewayError('CRM_SHARED' as ErrorCode)).to.include({ status: 409 })
  })

  const refused: readonly [what: string, listed: ReturnType<typeof withErrors>[], says: string][] = [
    [
      'a code that two plugins have',
      [withErrors('one', { CRM_A: [400, 'a'] }), withErrors('two', { CRM_A: [400, 'b'] })],
      'error "CRM_A" is declared by both "one" and "two"',
    ],
    [
      'a code of the kernel',
      [withErrors('one', { INTERNAL: [500, 'mine'] })],
      'error "INTERNAL" is declared by both "kernel" and "one"',
    ],
    [
      'a status of no error',
      [withErrors('one', { CRM_B: [200, 'fine'] })],
      'its status must be from 400 to 599',
    ],
    ['an odd code', [withErrors('one', { crm: [400, 'a'] })], 'plugin "one", error "crm": its code must be'],
    ['a row without text', [withErrors('one', { CRM_C: [400, ''] })], 'it has no text'],
  ]
  for (const [what, listed, says] of refused)
    it(`refuses ${what}, and adds nothing`, () => {
      expect(() => prepare(listed)).to.throw(says)
      expect(made('INTERNAL').message).to.equal('Internal error')
      expect(made('CRM_A', ['x'])).to.include({ status: 500, message: 'CRM_A x' })
    })
})

describe('names of fields that plugins have cut out of the log', () => {
  it('are cut out in any case, wherever they stand', () => {
    const plugin = definePlugin({ name: 'crm', version: '1.0.0', api: '^1.0.0', redact: ['crmNote'] })
    testGateway({ plugins: [{ plugin }] })
    const lines: string[] = []
    const log = createLog({ level: 'info', stream: { write: (line) => void lines.push(line) } })
    log.info({ row: { crmnote: 'ill', CrmNote: 'very', id: 'r1' } }, 'stored')
    expect(JSON.parse(lines.join(''))).to.deep.include({
      row: { crmnote: '[redacted]', CrmNote: '[redacted]', id: 'r1' },
    })
  })
})
