import { Validator } from '@seriousme/openapi-schema-validator'
import { expect } from 'chai'
import { startWorld, type World } from '../../support/world.ts'

describe('docs', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.stop())

  it('describes every enabled route in a valid OpenAPI 3.1 document', async () => {
    const document = (await (await fetch(`${world.gateway.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, object>>
      webhooks: object
    }
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect(errors ?? []).to.deep.equal([])
    expect(valid).to.equal(true)
    for (const { routes } of world.gateway.describe().plugins) {
      for (const { method, path } of routes) {
        const shown = path.replace(/:(\w+)/g, '{$1}')
        expect(document.paths[shown]?.[method.toLowerCase()], `${method} ${path}`).to.have.property('summary')
      }
    }
    expect(document.webhooks).to.include.keys('Message', 'ReadReceipt', 'LoggedOut')
  })

  it('shows them on a page that loads nothing from elsewhere', async () => {
    const page = await fetch(`${world.gateway.url}/docs`)
    const html = await page.text()
    expect(page.headers.get('content-security-policy')).to.include("default-src 'none'")
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '')
    expect(links).to.have.length(3)
    for (const link of links) {
      expect(link).to.match(/^\/docs\//)
      expect((await fetch(world.gateway.url + link)).status, link).to.equal(200)
    }
  })

  it('serves no other file', async () => {
    for (const file of ['package.json', '..%2fpackage.json', 'index.js']) {
      expect((await fetch(`${world.gateway.url}/docs/${file}`)).status).to.equal(404)
    }
  })
})
