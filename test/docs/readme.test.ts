import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { BUILTIN } from '../../config/builtin.ts'
import type { Plugin } from '../../kernel/plugin.ts'
import { prepare } from '../../kernel/wiring/prepare.ts'
import { table } from '../interface/tables.ts'

const readme = readFileSync('README.md', 'utf8')
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string
  dependencies: Record<string, string>
}
const documents = ['.', 'config', 'kernel', 'plugins'].flatMap((folder) =>
  readdirSync(folder, { recursive: folder !== '.', encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
)

describe('the README', () => {
  it('gives the reason of every runtime dependency, and of nothing else', () => {
    const [, packages = ''] = readme.split('## Packages')
    const named = [...packages.matchAll(/^\| ([^|]+) \|/gm)]
      .flatMap(([, names = '']) => names.trim().split(', '))
      .filter((name) => name !== 'package' && !name.startsWith('---'))
    expect(named).to.have.members(Object.keys(manifest.dependencies))
  })

  it('has a line on every plugin, with how many of the endpoints are its', async () => {
    const plugins = await Promise.all(
      Object.values(BUILTIN).map(async (load) => (await load()).default as Plugin),
    )
    const rows = table.map(({ method, path }) => `${method} ${path}`)
    const lines = [...readme.matchAll(/^\| \[([\w-]+)\]\(plugins\/\1\/README\.md\) \| (\d*) \| .+ \|$/gm)]
    const told = Object.fromEntries(lines.map(([, name = '', count]) => [name, Number(count)]))
    const counted = prepare(plugins.map((plugin) => ({ plugin }))).map(({ name, routes }) => [
      name,
      routes.filter(({ route }) => rows.includes(`${route.method} ${route.path}`)).length,
    ])
    expect(told).to.deep.equal(Object.fromEntries(counted))
  })
})

describe('the documents', () => {
  for (const document of documents) {
    it(`${document} links to files that there are`, () => {
      const links = [...readFileSync(document, 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
      for (const [, link = ''] of links)
        expect(existsSync(join(dirname(document), link)), link).to.equal(true)
    })
  }

  it('tell what this version brought', () => {
    expect(readFileSync('CHANGELOG.md', 'utf8')).to.include(`## ${manifest.version}`)
  })
})
