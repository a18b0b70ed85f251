import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { errorTable } from '../../../kernel/errors.ts'
import { createPages } from '../../../plugins/docs/page.ts'
import { createSite } from '../../../plugins/docs/site.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { admin, startWorld, type World } from '../../support/world.ts'

describe('the pages about errors', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.stop())

  /** Those of a gateway beside which the site is built in that folder. */
  const pagesWith = (folder: string) =>
    createPages({ describe: () => world.gateway.describe() }, createSite(folder))
  const read = async (page: Promise<{ body: unknown }>): Promise<string> => {
    const { body } = await page
    if (typeof body === 'string' || Buffer.isBuffer(body)) return String(body)
    return (await (body as NodeJS.ReadableStream & { toArray(): Promise<Buffer[]> }).toArray()).join('')
  }
  const get = (path: string): Promise<Response> => fetch(`${world.gateway.url}${path}`)

  it('are reached by the header Link of a refusal, whose body has the fields of the envelope only', async () => {
    const refused = await fetch(`${world.gateway.url}/session/init`, {
      method: 'POST',
      headers: { ...admin, 'content-type': 'application/json' },
      body: '{"Name":7,"Token":[]}',
    })
    const body = (await refused.json()) as { errorCode: string }
    expect(body).to.have.all.keys('code', 'error', 'errorCode', 'success')
    const link = refused.headers.get('link') ?? ''
    expect(link).to.equal(`</docs/errors/${body.errorCode}>; rel="help"`)
    const page = await get(/<(.+)>/.exec(link)?.[1] ?? '')
    expect(page.status).to.equal(200)
    expect(page.headers.get('content-type')).to.match(/^text\/html/)
    expect(await page.text())
      .to.include(body.errorCode)
      .and.include('What to do')
    expect((await get('/server/ok')).headers.get('link')).to.equal(null)
  })

  it('exist for every row, the errors of the start included, with status, cause and remedy', async () => {
    // A clone may have the built site, which has its own.
    const pages = pagesWith(temporaryFolder())
    for (const [code, [status, , help]] of errorTable()) {
      if (!help) continue
      const page = await read(pages.below('errors', code))
      const words = page
        .replaceAll(/<\/?code>/g, '`')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
      for (const part of [String(status), help.meaning, help.cause, help.remedy])
        expect(words.replaceAll('&amp;', '&'), code).to.include(part)
    }
    const list = await read(pages.get('errors'))
    for (const code of ['FIELD_MISSING', 'NETWORK_SILENT', 'DATABASE_LOCKED', 'PLUGIN_MISSING'])
      expect(list).to.include(`/docs/errors/${code}"`)
  })

  it('are not there for other words', async () => {
    for (const name of ['NOTHING', 'constructor', '..%2f..%2fpackage.json', '%3Cscript%3E'])
      expect((await get(`/docs/errors/${name}`)).status, name).to.equal(404)
    expect((await get('/docs/nothing/FIELD_MISSING')).status).to.equal(404)
  })

  it('are those of the built site where it has them', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'errors'))
    writeFileSync(join(folder, 'errors', 'FIELD_MISSING.html'), 'built')
    writeFileSync(join(folder, 'home.html'), 'guides')
    const pages = pagesWith(folder)
    expect(await read(pages.below('errors', 'FIELD_MISSING'))).to.equal('built')
    expect(await read(pages.below('errors', 'FIELD_INVALID'))).to.include('What to do')
    expect(await read(pages.get('home'))).to.equal('guides')
    expect(await read(pages.get('index.html'))).to.include('"/docs/home"')
  })
})
