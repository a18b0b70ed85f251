import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { errorRows } from '../../config/build/documents/plugin-reference.ts'
import { sitePages } from '../../plugins/docs/site/pages.ts'
import { SITE } from '../../plugins/docs/site/write.ts'
import { whole } from '../support/run/whole.ts'

describe('the source of the site', () => {
  let pages: Awaited<ReturnType<typeof sitePages>>['pages']
  before(async function () {
    this.timeout(120_000)
    pages = (await sitePages()).pages
  })

  it('has a page for each error, endpoint and guide, each address once', async () => {
    const paths = pages.map(({ path }) => path)
    expect(new Set(paths).size).to.equal(paths.length)
    expect(paths).to.include.members((await errorRows()).map(({ code }) => `errors/${code}`))
    expect(paths).to.include.members(['home', 'guide/quick-start', 'guide/troubleshooting', 'send/send-text'])
    const titles = pages.map(({ title }) => title).filter((title) => /^(GET|POST|PUT|DELETE) \//.test(title))
    expect(titles.length).to.be.greaterThan(200)
  })

  it('says of each error what it means, why it occurs and what to do', async () => {
    for (const { code, row } of await errorRows())
      expect(Object.values(row[2] ?? {}).filter(Boolean), code).to.have.length(3)
  })

  it('shows requests in Python that Python accepts', function () {
    const blocks = pages.flatMap(({ text }) =>
      [...text.matchAll(/^```python \[Python\]\n([\s\S]*?)^```/gm)].map(([, code = '']) => code),
    )
    expect(blocks.length).to.be.greaterThan(200)
    const program = 'import json,sys\nfor b in json.load(sys.stdin): compile(b, b, "exec")'
    if (!existsSync('/usr/bin/python3')) return this.skip()
    execFileSync('/usr/bin/python3', ['-c', program], { input: JSON.stringify(blocks) })
  })
})

whole.describe('the built site', function () {
  this.timeout(900_000)
  const dist = join(SITE, 'dist')
  let files: Set<string>
  before(() => {
    execFileSync('npm', ['run', '--silent', 'site'], { stdio: 'inherit' })
    files = new Set(readdirSync(dist, { recursive: true, encoding: 'utf8' }))
  })

  it('has no broken link or anchor, and loads nothing from other hosts', () => {
    const anchors = new Map<string, Set<string>>()
    const anchorsOf = (name: string): Set<string> => {
      const known =
        anchors.get(name) ?? new Set([...textOf(name).matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))
      anchors.set(name, known)
      return known
    }
    const fileOf = (path: string): string | undefined =>
      [path, `${path}.html`, `${path}index.html`, `${path}/index.html`].find((name) => files.has(name))
    const broken: string[] = []
    let count = 0
    for (const page of [...files].filter((name) => name.endsWith('.html') && name !== '404.html')) {
      for (const [, link = ''] of textOf(page).matchAll(/ (?:href|src)="([^"]+)"/g)) {
        if (/^(https?:|data:|mailto:)/.test(link)) continue
        count += 1
        const url = new URL(link.replaceAll('&amp;', '&'), `http://site/docs/${page}`)
        if (!url.pathname.startsWith('/docs/')) {
          broken.push(`${page}: ${link}`)
          continue
        }
        const target = fileOf(decodeURIComponent(url.pathname.slice('/docs/'.length)))
        const anchor = decodeURIComponent(url.hash.slice(1))
        if (!target || (anchor && target.endsWith('.html') && !anchorsOf(target).has(anchor)))
          broken.push(`${page}: ${link}`)
      }
      const loaded = [...textOf(page).matchAll(/<(?:script|link|img)\b[^>]+(?:src|href)="(https?:[^"]+)"/g)]
      broken.push(...loaded.map(([, address]) => `${page} loads ${address}`))
    }
    expect(count).to.be.greaterThan(5_000)
    expect([...new Set(broken)]).to.deep.equal([])
  })

  it('has a search index, and the texts for assistants', () => {
    expect([...files].some((name) => /^assets\/@localSearchIndexroot/.test(name))).to.equal(true)
    expect(textOf('llms.txt')).to.include('/docs/errors/FIELD_MISSING')
    expect(textOf('llms-full.txt')).to.include('# Quick start')
  })

  function textOf(name: string): string {
    return readFileSync(join(dist, name), 'utf8')
  }
})
