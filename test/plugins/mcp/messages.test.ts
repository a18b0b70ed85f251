import { expect } from 'chai'
import mcp from '../../../plugins/mcp/index.ts'
import { admin, startWorld, type World } from '../../support/world.ts'

describe('messages to POST /mcp', () => {
  let world: World
  before(async () => {
    world = await startWorld({ extra: [mcp] })
  })
  after(() => world.stop())

  for (const part of ['result', 'error']) {
    it(`are refused where they have both a method and a ${part}, which nothing would answer`, async () => {
      const { data } = await world.gateway.post('/session/init', { Name: 'Shop' }, admin)
      const response = await fetch(`${world.gateway.url}/mcp`, {
        method: 'POST',
        headers: { token: data.Token, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', [part]: {} }),
        signal: AbortSignal.timeout(5_000),
      })
      expect(response.status).to.equal(400)
      expect(await response.json()).to.include({ errorCode: 'FIELD_INVALID' })
    })
  }
})
