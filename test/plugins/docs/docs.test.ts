import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect } from 'chai'
import { createPages } from '../../../plugins/docs/page.ts'
import { SUPPORT, SUPPORT_DATE, supportMarkdown } from '../../../plugins/docs/support.ts'
import { startWorld, type World } from '../../support/world.ts'

interface Collection {
  info: { schema: string }
  item: {
    name: string
    item: {
      request: { method: string; header: { key: string }[]; url: { raw: string }; body?: { raw: string } }
    }[]
  }[]
}

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
    const send = document.paths['/send/text']?.['post'] as {
      parameters: { name: string }[]
      responses: object
    }
    expect(send.parameters.map(({ name }) => name)).to.deep.equal(['Idempotency-Key', 'Prefer'])
    expect(send.responses).to.include.keys('200', '202')
  })

  it('serves a page that loads nothing from other hosts', async () => {
    const page = await fetch(`${world.gateway.url}/docs`)
    const html = await page.text()
    expect(page.headers.get('content-security-policy')).to.include("default-src 'none'")
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '')
    expect(links.filter((link) => link === 'data:,')).to.have.length(1)
    const files = links.filter((link) => link !== 'data:,')
    expect(files).to.have.length(3)
    for (const link of files) {
      expect(link).to.match(/^\/docs\//)
      expect((await fetch(world.gateway.url + link)).status, link).to.equal(200)
    }
  })

  it('generates a Postman collection with every route, its header and required fields', async () => {
    const answer = await fetch(`${world.gateway.url}/docs/postman.json`)
    expect(answer.headers.get('content-type')).to.include('application/json')
    const { info, item: folders } = (await answer.json()) as Collection
    expect(info.schema).to.match(/collection\/v2\.1\.0/)
    const { plugins } = world.gateway.describe()
    for (const { name, routes } of plugins.filter((plugin) => plugin.routes.length > 0)) {
      const folder = folders.find((one) => one.name === name)
      const requests = folder?.item.map(({ request }) => request) ?? []
      expect(requests, name).to.have.length(routes.length)
      for (const { method, path, spec } of routes) {
        const request = requests.find((one) => one.method === method && one.url.raw === `{{baseUrl}}${path}`)
        expect(request, `${method} ${path}`).to.be.an('object')
        const { access = 'login' } = spec
        const header = access === 'public' ? [] : [access === 'admin' ? 'admintoken' : 'token']
        expect(request?.header.map(({ key }) => key)).to.deep.equal(header)
        const { required = [] } = (spec.body ?? {}) as { required?: string[] }
        const body = request?.body ? Object.keys(JSON.parse(request.body.raw)) : []
        if (method !== 'GET') expect(body, `${method} ${path}`).to.include.members(required)
      }
    }
  })

  it('builds each file once for concurrent requests', async () => {
    const pages = createPages({ describe: () => world.gateway.describe() })
    for (const name of ['swagger-ui-bundle.js', 'openapi.json'])
      expect((await pages.get(name)).body).to.equal((await pages.get(name)).body)
  })

  it('serves no other file', async () => {
    for (const file of ['package.json', '..%2fpackage.json', 'index.js']) {
      expect((await fetch(`${world.gateway.url}/docs/${file}`)).status).to.equal(404)
    }
  })

  it('lists app support for every send, equally on the page and in the README', async () => {
    const routes = world.gateway.describe().plugins.flatMap((plugin) => plugin.routes)
    const sends = routes.map(({ path }) => path).filter((path) => path.startsWith('/send/'))
    const told = SUPPORT.flatMap((row) => row.sends.map((name) => `/send/${name}`))
    expect(told).to.have.members(sends)
    const html = await (await fetch(`${world.gateway.url}/docs`)).text()
    for (const { sends, note } of SUPPORT) expect(html).to.include(sends.join(', ')).and.include(note)
    const readme = readFileSync('plugins/send/README.md', 'utf8')
    expect(readme).to.include(supportMarkdown()).and.include(SUPPORT_DATE)
  })
})
