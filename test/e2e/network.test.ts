import { expect } from 'chai'
import { startProcess } from '../support/process.ts'
import { admin } from '../support/world.ts'

describe('the local network on its own', () => {
  it('starts with nothing but what it needs, makes phones, and stops', async () => {
    const network = await startProcess({}, 'network')
    const { data } = await network.post('/sandbox/phones', { Name: 'Ana' }, admin)
    expect(data.JID).to.match(/@s\.whatsapp\.net$/)
    expect(await network.get('/server/ok')).to.include({ success: true })
    expect(await network.post('/session/init', {}, admin)).to.include({ status: 404 })
    expect(network.lines.join('')).to.include('network.json')
    expect(await network.end('SIGTERM')).to.equal(0)
  })
})
