import { checkPlugin, startTestGateway } from '@wamux/sandbox/testing'
import { expect } from 'chai'
import type { Plugin } from 'wamux/plugin'
import pacing from '../../plugins/pacing/index.ts'
import { loadExample } from '../support/example.ts'

describe('the example steady-pace', () => {
  let plugin: Plugin
  before(async () => {
    plugin = await loadExample('steady-pace')
  })

  it('keeps the rules of good plugins', async () => {
    expect(await checkPlugin(plugin)).to.deep.equal([])
  })

  it('takes the place of the pacing, and spaces the messages of a session', async () => {
    const config = { 'steady-pace': { secondsBetween: 0.3 }, pacing: { perSecond: 0.01, burst: 1 } }
    const gateway = await startTestGateway({ plugins: [pacing, plugin], config })
    try {
      const session = await gateway.session()
      const ana = await gateway.phone({ name: 'Ana' })
      const began = performance.now()
      const sends = ['1', '2', '3'].map((Body) => session.post('/send/text', { Phone: ana.number, Body }))
      for (const { status, error } of await Promise.all(sends)) expect(status, error).to.equal(200)
      // Timers may be due a millisecond early.
      expect(performance.now() - began).to.be.at.least(595)
      const described = gateway.describe().plugins.find(({ name }) => name === 'steady-pace')
      expect(described?.overrides).to.deep.equal(['pace'])
    } finally {
      await gateway.stop()
    }
  })
})
