import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect } from 'chai'
import { createPages } from '../../../plugins/docs/page.ts'
import { SUPPORT, SUPPORT_DATE, supportMarkdown } from '../../../plugins/docs/support.ts'
import { startWorld, type World } from '../../support/world.ts'

interface Item {
  name: string
  event?: { script: { exec: string[] } }[]
  request: {
    method: string
    header: { key: string; value: string }[]
    url: { raw: string; variable: { key: string; value: string }[] }
    body?: { raw: string }
  }
}

interface Collection {
  info: { schema: string; description: string }
  variable: { key: string }[]
  item: { name: string; item: Item[] }[]
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
    expect(send.parameters.map(({ name }) => name)).to.deep.equal([
      'Idempotency-Key',
      'Prefer',
      'X-Unconfirmed',
    ])
    expect(send.responses).to.include.keys('200', '202')
  })

  it('has an example for every body; where no field is required, one without placeholders', async () => {
    const document = (await (await fetch(`${world.gateway.url}/openapi.json`)).json()) as {
      paths: Record<
        string,
        Record<string, { requestBody?: { required: boolean; content: Record<string, object> } }>
      >
    }
    const bodies = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ requestBody }) => (requestBody ? [{ path, ...requestBody }] : [])),
    )
    const bare = bodies.filter(
      ({ required, content }) => !required && !('example' in (content['application/json'] ?? { example: 1 })),
    )
    expect(bare.map(({ path }) => path)).to.deep.equal([])
    expect(bodies.length).to.be.greaterThan(120)
  })

  it('serves a page that loads nothing from other hosts', async () => {
    const page = await fetch(`${world.gateway.url}/docs`)
    const html = await page.text()
    expect(page.headers.get('content-security-policy')).to.include("default-src 'none'")
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '')
    expect(links.filter((link) => link === 'data:,')).to.have.length(1)
    const files = links.filter((link) => link !== 'data:,')
    expect(files).to.include.members(['/docs/swagger-ui.css', '/docs/init.js', '/docs/errors'])
    for (const link of files) {
      expect(link).to.match(/^\/docs\//)
      expect((await fetch(world.gateway.url + link)).status, link).to.equal(200)
    }
  })

  describe('the Postman collection', () => {
    let collection: Collection
    let items: Item[]
    const itemOf = (name: string): Item => {
      const found = items.find(
        ({ request }) => `${request.method} ${request.url.raw}` === name.replace(' ', ' {{baseUrl}}'),
      )
      if (!found) throw new Error(`no request ${name}`)
      return found
    }
    const placeOf = (name: string): number => items.indexOf(itemOf(name))
    before(async () => {
      const answer = await fetch(`${world.gateway.url}/docs/postman.json`)
      expect(answer.headers.get('content-type')).to.include('application/json')
      collection = (await answer.json()) as Collection
      items = collection.item.flatMap(({ item }) => item)
    })

    it('has every route but streams once, with its header and required fields', () => {
      expect(collection.info.schema).to.match(/collection\/v2\.1\.0/)
      const isStream = (response: object | undefined): boolean =>
        JSON.stringify(response ?? {}).includes('text/event-stream')
      const all = world.gateway.describe().plugins.flatMap((plugin) => plugin.routes)
      const routes = all.filter(({ spec }) => !isStream(spec.response))
      expect(all.length - routes.length).to.be.greaterThan(4)
      expect(items).to.have.length(routes.length)
      for (const { method, path, spec } of routes) {
        const { request } = itemOf(`${method} ${path}`)
        const { access = 'login' } = spec
        const header = access === 'public' ? [] : [access === 'admin' ? 'admintoken' : 'token']
        expect(request.header.map(({ key }) => key)).to.deep.equal(header)
        const { required = [] } = (spec.body ?? {}) as { required?: string[] }
        const body = request.body ? Object.keys(JSON.parse(request.body.raw)) : []
        if (method !== 'GET') expect(body, `${method} ${path}`).to.include.members(required)
      }
    })

    it('gives every variable in a path a value, but where only a person or a page has it', () => {
      const empty = items
        .filter(({ request }) => request.url.variable.some(({ value }) => value === ''))
        .map(({ request }) => request.url.raw.replace('{{baseUrl}}', ''))
      const known =
        /^\/(link\/:token|link-page\/:file|media\/:seq|dashboard\/|plugins\/:plugin\/:file|server\/jobs\/:queue)/
      expect(empty.filter((path) => !known.test(path))).to.deep.equal([])
    })

    it('saves what an answer makes before it is used, and names it among the variables', () => {
      const names = new Set(collection.variable.map(({ key }) => key))
      const set = new Set(['baseUrl', 'token', 'admintoken'])
      for (const item of items) {
        const used = [...JSON.stringify(item.request).matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name)
        for (const name of used)
          expect(set.has(name) && names.has(name), `${name} in "${item.name}"`).to.equal(true)
        const lines = item.event?.flatMap(({ script }) => script.exec).join('\n') ?? ''
        for (const [, name = ''] of lines.matchAll(/collectionVariables\.set\("(\w+)"/g)) set.add(name)
      }
      expect(set.size).to.equal(names.size)
    })

    it('begins with the session, and ends with what ends one', () => {
      expect(collection.item[0]?.name).to.equal('session')
      expect(collection.item.at(-1)?.name).to.equal('last')
      const order = ['POST /session/init', 'POST /session/connect', 'GET /session/qr', 'POST /send/text']
      const end = ['POST /session/logout', 'POST /session/delete']
      const places = [...order, ...end].map(placeOf)
      expect(places).to.deep.equal([...places].sort((one, other) => one - other))
      for (const name of [...end, 'POST /chat/delete'])
        expect(collection.item.at(-1)?.item).to.include(itemOf(name))
    })
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
    const posts = routes.filter(({ method }) => method === 'POST').map(({ path }) => path)
    const sends = posts.filter((path) => path.startsWith('/send/'))
    const told = SUPPORT.flatMap((row) => row.sends.map((name) => `/send/${name}`))
    expect(told).to.have.members(sends)
    const html = await (await fetch(`${world.gateway.url}/docs`)).text()
    for (const { sends, note } of SUPPORT) expect(html).to.include(sends.join(', ')).and.include(note)
    const readme = readFileSync('plugins/send/README.md', 'utf8')
    expect(readme).to.include(supportMarkdown()).and.include(SUPPORT_DATE)
  })
})
