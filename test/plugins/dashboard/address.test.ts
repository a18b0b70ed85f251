import { expect } from 'chai'
import { startWorld, type World } from '../../support/world.ts'

describe('the address of the dashboard', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.stop())

  for (const protocol of ['%', '%%', 'http://', 'javascript:', ' , ', '[', 'https', 'é'])
    it(`is taken from a request with X-Forwarded-Proto: ${protocol}`, async () => {
      const headers = { 'x-forwarded-proto': protocol, 'x-forwarded-host': '%' }
      for (const path of ['/dashboard', '/dashboard/sessions']) {
        const { status } = await fetch(world.gateway.url + path, { headers })
        // 503 where the pages are not built.
        expect(status).to.be.oneOf([200, 503])
      }
      const init = { method: 'DELETE', headers: { ...headers, 'x-wamux-dashboard': '1' } }
      expect((await fetch(`${world.gateway.url}/dashboard/login`, init)).status).to.be.below(500)
    })
})
