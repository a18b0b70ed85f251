import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { createAssets } from '../../../kernel/http/assets.ts'
import { temporaryFolder } from '../../support/databases.ts'

/** A file of its content. */
const CONTENT = { 'a.js': 'alert(1)', 'b.css': 'b {}' }

function setUp() {
  const folder = join(temporaryFolder(), 'assets')
  const write = (): void => {
    mkdirSync(folder)
    for (const [name, text] of Object.entries(CONTENT)) writeFileSync(join(folder, name), text)
  }
  const assets = createAssets({ folders: [pathToFileURL(`${folder}/`)], unbuilt: 'ROUTE_UNKNOWN' })
  const get = async (name: string, encodings = ''): Promise<string> =>
    String((await assets.get(name, encodings)).body)
  return { folder, write, assets, get }
}

describe('the files of pages', () => {
  it('are served from memory once one was asked for, whatever a build does to their folder', async () => {
    const { folder, write, assets, get } = setUp()
    write()
    expect(await get('a.js')).to.equal(CONTENT['a.js'])
    renameSync(folder, `${folder}.old`)
    expect(await get('b.css')).to.equal(CONTENT['b.css'])
    const { body, headers } = await assets.get('b.css', 'gzip, br')
    expect(String(gunzipSync(body as Buffer))).to.equal(CONTENT['b.css'])
    expect(headers).to.include({ 'Content-Encoding': 'gzip', 'Content-Type': 'text/css; charset=utf-8' })
  })

  it('are found after a build that came later, and none besides them', async () => {
    const { folder, write, get } = setUp()
    const refusal = (name: string): Promise<unknown> => get(name).catch(({ code }) => code)
    expect(await refusal('a.js')).to.equal('ROUTE_UNKNOWN')
    write()
    mkdirSync(join(folder, 'folder.js'))
    writeFileSync(join(folder, 'c.txt'), 'not of a page')
    expect(await get('a.js')).to.equal(CONTENT['a.js'])
    for (const name of ['c.txt', 'folder.js', '../assets/a.js', 'constructor'])
      expect(await refusal(name), name).to.equal('ROUTE_UNKNOWN')
  })

  it('that are more than 16 MiB are read by each request', async () => {
    const { folder, write, get } = setUp()
    write()
    const large = 'x'.repeat(17 * 1024 * 1024)
    writeFileSync(join(folder, 'large.js'), large)
    expect((await get('large.js')).length).to.equal(large.length)
    writeFileSync(join(folder, 'large.js'), 'less')
    expect((await get('large.js')).length).to.equal('less'.length)
    rmSync(folder, { recursive: true })
    expect(await get('a.js')).to.equal(CONTENT['a.js'])
  })
})
