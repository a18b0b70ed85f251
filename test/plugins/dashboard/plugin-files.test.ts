import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkPlugin } from '@wamux/sandbox/testing'
import { expect } from 'chai'
import { definePlugin } from 'wamux/plugin'
import dashboard from '../../../plugins/dashboard/index.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { startedGateway, type TestGateway } from '../../support/gateway.ts'

describe('pages of plugins', () => {
  const root = temporaryFolder()
  const folder = join(root, 'page')
  mkdirSync(join(folder, 'inner'), { recursive: true })
  writeFileSync(join(root, 'secret.js'), 'secret')
  writeFileSync(join(folder, 'page.js'), 'export {}')
  writeFileSync(join(folder, '.env.js'), 'secret')
  writeFileSync(join(folder, 'notes.txt'), 'secret')
  writeFileSync(join(folder, 'inner', 'inner.js'), 'secret')
  const page = { title: 'Shop', element: 'shop-page', script: 'page.js' }
  const shop = definePlugin({
    name: '@acme/shop',
    version: '1.0.0',
    api: '^1.0.0',
    contributes: { pages: () => ({ folder: pathToFileURL(`${folder}/`), page }) },
  })
  let gateway: TestGateway
  before(async () => {
    gateway = await startedGateway({ plugins: [{ plugin: dashboard }, { plugin: shop }] })
  })
  after(() => gateway.stop())

  it('lists the pages for the dashboard, and serves their files under a strict policy', async () => {
    const { Pages } = (await gateway.get('/plugins')).data
    const Script = '/plugins/%40acme%2Fshop/page.js'
    expect(Pages).to.deep.equal([{ Plugin: '@acme/shop', Title: 'Shop', Element: 'shop-page', Script }])
    const response = await fetch(gateway.url + Script)
    expect(await response.text()).to.equal('export {}')
    expect(response.headers.get('content-type')).to.equal('text/javascript; charset=utf-8')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).to.include("default-src 'none'").and.include("script-src 'self'")
    expect(policy).to.not.include('unsafe')
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff')
  })

  it('lets checkPlugin find a page that can not be shown', async () => {
    const faultsOf = async (more: object, at = folder): Promise<string> => {
      const contributes = { pages: () => ({ folder: pathToFileURL(`${at}/`), page: { ...page, ...more } }) }
      const plugin = definePlugin({ name: 'shop', version: '1.0.0', api: '^1.0.0', contributes })
      return (await checkPlugin(plugin)).join()
    }
    expect(await faultsOf({})).to.equal('')
    expect(await faultsOf({ script: 'none.js' })).to.include('there is no file none.js')
    expect(await faultsOf({ element: 'shop' })).to.include('custom element')
  })

  it('serves a file again as it is after a change', async () => {
    writeFileSync(join(folder, 'style.css'), 'a{}')
    const get = async () => (await fetch(`${gateway.url}/plugins/%40acme%2Fshop/style.css`)).text()
    expect(await get()).to.equal('a{}')
    writeFileSync(join(folder, 'style.css'), 'b{color:red}')
    expect(await get()).to.equal('b{color:red}')
  })

  for (const file of [
    'none.js',
    '.env.js',
    'notes.txt',
    'inner',
    '..%2Fsecret.js',
    'inner%2Finner.js',
    '..%5Csecret.js',
  ])
    it(`does not serve ${file}`, async () => {
      const response = await fetch(`${gateway.url}/plugins/%40acme%2Fshop/${file}`)
      expect(response.status).to.equal(404)
      expect(await response.text()).to.not.include('secret')
    })
})
