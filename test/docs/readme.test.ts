import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { PACKAGED } from '../../config/build/documents/documents.ts'
import { table } from '../../config/build/documents/endpoints.ts'
import { BUILTIN } from '../../config/builtin.ts'
import type { Plugin } from '../../kernel/plugin.ts'
import { prepare } from '../../kernel/wiring/prepare.ts'

const readme = readFileSync('README.md', 'utf8')
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string
  dependencies: Record<string, string>
  peerDependencies: Record<string, string>
}
/** What a reader sees before scrolling. */
const firstScreen = readme.split('\n').slice(0, 16).join('\n')

describe('the README', () => {
  it('fits on one screen', () => {
    expect(readme.trimEnd().split('\n').length).to.be.at.most(60)
  })

  it('names pacing, its reason, and no affiliation on its first screen', () => {
    for (const words of [/\[pacing\]/, /WhatsApp can restrict/, /not affiliated with WhatsApp/i])
      expect(firstScreen).to.match(words)
  })
})

describe('NOTICE.md', () => {
  it('gives the reason of every runtime dependency, and of nothing else', () => {
    const [, packages = ''] = readFileSync('NOTICE.md', 'utf8').split('\n## Runtime dependencies')
    const named = [...packages.matchAll(/^\| ([^|]+) \|/gm)]
      .flatMap(([, names = '']) => names.trim().split(', '))
      .filter((name) => name !== 'package' && !name.startsWith('---'))
    expect(named).to.have.members(Object.keys({ ...manifest.dependencies }))
  })
})

describe('the index of the documents', () => {
  it('links every page', () => {
    const linked = [...readFileSync('kernel/docs/README.md', 'utf8').matchAll(/\]\(([^)#\s]+)\)/g)].map(
      ([, link = '']) => join('kernel/docs', link),
    )
    const pages = readdirSync('kernel/docs').filter(
      (name) => name.endsWith('.md') && name !== 'README.md' && !(`kernel/docs/${name}` in PACKAGED),
    )
    expect(pages.length).to.be.greaterThan(8)
    expect(linked).to.include.members([
      ...pages.map((name) => `kernel/docs/${name}`),
      'kernel/docs/decisions/README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'NOTICE.md',
      'CHANGELOG.md',
      'LICENSE',
      'config/REFERENCE.md',
      'config/deploy/README.md',
      'plugins/README.md',
      'plugins/webhook/EVENTS.md',
    ])
  })
})

describe('the index of the plugins', () => {
  it('has a line for every plugin, with its number of endpoints', async () => {
    const plugins = await Promise.all(
      Object.values(BUILTIN).map(async (load) => (await load()).default as Plugin),
    )
    const rows = table.map(({ method, path }) => `${method} ${path}`)
    const lines = [
      ...readFileSync('plugins/README.md', 'utf8').matchAll(
        /^\| \[([\w-]+)\]\(\1\/README\.md\) \| [a-z]+ \| (\d*) \| .+ \|$/gm,
      ),
    ]
    const listed = Object.fromEntries(lines.map(([, name = '', count]) => [name, Number(count)]))
    const counted = prepare(plugins.map((plugin) => ({ plugin }))).map(({ name, routes }) => [
      name,
      routes.filter(({ route }) => rows.includes(`${route.method} ${route.path}`)).length,
    ])
    expect(listed).to.deep.equal(Object.fromEntries(counted))
  }).timeout(60_000)
})

describe('the changelog', () => {
  it('has the version of package.json', () => {
    expect(readFileSync('CHANGELOG.md', 'utf8')).to.include(manifest.version)
  })
})
