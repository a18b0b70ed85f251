import { readdirSync, readFileSync } from 'node:fs'
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
  it('is shorter than 200 lines', () => {
    expect(readme.split('\n').length).to.be.lessThan(200)
  })

  it('names pacing, its reason, and no affiliation on its first screen', () => {
    for (const words of [/\[pacing\]/, /WhatsApp can restrict/, /not affiliated with WhatsApp/i])
      expect(firstScreen).to.match(words)
  })

  it('gives the reason of every runtime dependency, and of nothing else', () => {
    const [, packages = ''] = readme.split('## Packages')
    const named = [...packages.matchAll(/^\| ([^|]+) \|/gm)]
      .flatMap(([, names = '']) => names.trim().split(', '))
      .filter((name) => name !== 'package' && !name.startsWith('---'))
    expect(named).to.have.members(Object.keys({ ...manifest.dependencies }))
  })

  it('links every page in its index', () => {
    const [, index = ''] = readme.split('\n## Documentation\n')
    const linked = [...index.matchAll(/\]\(([^)#\s]+)\)/g)].map(([, link]) => link)
    const pages = readdirSync('kernel/docs').filter(
      (name) => name.endsWith('.md') && !(`kernel/docs/${name}` in PACKAGED),
    )
    const plugins = Object.keys(BUILTIN).map((name) => `plugins/${name}/README.md`)
    expect(pages.length).to.be.greaterThan(8)
    expect(linked).to.include.members([
      ...pages.map((name) => `kernel/docs/${name}`),
      ...plugins,
      'kernel/docs/decisions/README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'NOTICE.md',
      'CHANGELOG.md',
      'LICENSE',
      'config/REFERENCE.md',
      'config/deploy/README.md',
      'plugins/webhook/EVENTS.md',
    ])
  })

  it('has a line for every plugin, with its number of endpoints', async () => {
    const plugins = await Promise.all(
      Object.values(BUILTIN).map(async (load) => (await load()).default as Plugin),
    )
    const rows = table.map(({ method, path }) => `${method} ${path}`)
    const lines = [...readme.matchAll(/^\| \[([\w-]+)\]\(plugins\/\1\/README\.md\) \| (\d*) \| .+ \|$/gm)]
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
