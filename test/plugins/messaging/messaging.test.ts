import { expect } from 'chai'
import { createLog } from '../../../kernel/logging/log.ts'
import { gatewayError } from '../../../kernel/plugin.ts'
import messaging, { child, Jid, networkCodeOf, textOf } from '../../../plugins/messaging/index.ts'
import { testGateway } from '../../support/gateway.ts'

describe('the words of messaging', () => {
  before(() => testGateway({ plugins: [{ plugin: messaging }] }))

  it('bring the errors that plugins share', () => {
    expect(gatewayError('NOT_ON_NETWORK', ['5511'])).to.include({
      status: 404,
      message: '5511 is not on WhatsApp',
    })
  })

  it('keep messages, stanzas and names of people out of the log', () => {
    const lines: string[] = []
    const log = createLog({ level: 'info', stream: { write: (line) => void lines.push(line) } })
    log.info({ message: { conversation: 'Hi' }, node: '<iq/>', pushName: 'Ana', state: 'open' }, 'seen')
    expect(JSON.parse(lines.join(''))).to.include({
      message: '[redacted]',
      node: '[redacted]',
      pushName: '[redacted]',
      state: 'open',
    })
  })

  it('read stanzas and JIDs', () => {
    const node = { tag: 'iq', attrs: {}, content: [{ tag: 'name', attrs: {}, content: Buffer.from('Ana') }] }
    expect(textOf(child(node, 'name'))).to.equal('Ana')
    expect(Jid.bare('5511:3@s.whatsapp.net')).to.equal('5511@s.whatsapp.net')
    expect([Jid.isPerson('5511@lid'), Jid.isPerson('1-2@g.us')]).to.deep.equal([true, false])
  })

  it("return the network's own code of a refused query, and 0 of any other failure", () => {
    const cause = Object.assign(new Error('not-authorized'), { data: 401 })
    expect(networkCodeOf(gatewayError('NETWORK_FORBIDDEN', ['x'], { cause }))).to.equal(401)
    expect(networkCodeOf(new Error('no'))).to.equal(0)
  })
})
