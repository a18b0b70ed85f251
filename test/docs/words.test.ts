import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { PACKAGED } from '../../config/build/documents/documents.ts'
import { BUILTIN } from '../../config/builtin.ts'
import { variableOf } from '../../config/environment.ts'
import { ENVIRONMENT } from '../../config/schema.ts'
import hello from '../../config/template/src/index.ts'
import { errorTable } from '../../kernel/errors.ts'
import type { Plugin } from '../../kernel/plugin.ts'
import { prepare } from '../../kernel/wiring/prepare.ts'
import { codesIn, type Document, documents } from './blocks.ts'

/** Of variables that no setting has. */
const NO_SETTING = ['WAMUX_CONFIG', 'TEST_DATABASE_URL', 'WAMUX_TEST_ALL']
/** The fixtures are plugins of others, with routes and settings of their own. */
const ours = documents.filter(({ file }) => !file.startsWith('test/fixtures/'))

/** A place on the disk of a server. */
const FILE = /^\/(etc|opt|usr|var)\//

describe('what the documents name in passing', () => {
  const settings = new Map<string, string[]>()
  let routes: { method: string; path: string }[]
  let types: string[]
  let variables: Set<string>
  before(async () => {
    const builtin = await Promise.all(
      Object.values(BUILTIN).map(async (load) => (await load()).default as Plugin),
    )
    const plugins = [...builtin, hello]
    for (const { spec } of plugins) settings.set(spec.name, keysOf(spec.config))
    const prepared = prepare(plugins.map((plugin) => ({ plugin })))
    routes = prepared.flatMap((plugin) => plugin.routes.map(({ route }) => route))
    types = prepared.flatMap(({ events }) => Object.keys(events))
    const own = plugins.flatMap(({ spec }) => keysOf(spec.config).map((key) => variableOf(spec.name, key)))
    variables = new Set([...NO_SETTING, ...Object.keys(ENVIRONMENT), ...own])
  })

  function each(what: string, check: (document: Document) => void): void {
    it(what, () => {
      for (const document of ours) check(document)
    })
  }

  each('routes exist', (document) => {
    const paths = routes.map(({ path }) => path)
    for (const code of codesIn(document)) {
      const [, method, path = ''] = /^(?:(GET|POST|PUT|DELETE) )?(\/[\w/:-]+)$/.exec(code) ?? []
      const found = routes.filter((route) => route.path === path && (!method || route.method === method))
      // One word alone is more often a folder, or the end of a path.
      const isMeant = method !== undefined || (path.slice(1).includes('/') && !FILE.test(path))
      if (isMeant) expect(found, `${document.file}: ${code}`).to.not.have.length(0)
      const [, part = ''] = /^(\/[\w/]+\/)[*…]$/.exec(code) ?? []
      if (part)
        expect(
          paths.some((one) => one.startsWith(part)),
          `${document.file}: ${code}`,
        ).to.equal(true)
    }
  })

  it('types of events exist', () => {
    const text = documents.find(({ file }) => file.endsWith('moving-over.md'))?.text ?? ''
    const tables = [...text.matchAll(/^\| its event \|.*\n\|[-| ]+\|\n((?:\|.*\n)+)/gm)]
    expect(tables).to.have.length(3)
    for (const [, table = ''] of tables)
      for (const [, cell = ''] of table.matchAll(/^\|[^|]+\|([^|]+)\|/gm))
        for (const [, type = ''] of cell.matchAll(/`([A-Z]\w+)`/g)) expect(types).to.include(type)
  })

  each('variables exist', (document) => {
    const [, plugin] = /^plugins\/([\w-]+)\/README\.md$/.exec(document.file) ?? []
    for (const code of codesIn(document)) {
      const [, name = ''] = /^((?:WAMUX|TEST)?_[A-Z_]+)(=.*)?$/.exec(code) ?? []
      if (!name || /_$/.test(name)) continue
      const full = name.startsWith('_') ? `WAMUX_${plugin?.replace('-', '_').toUpperCase()}${name}` : name
      const isThere = variables.has(full) || variables.has(full.replace(/_FILE$/, ''))
      expect(isThere, `${document.file}: ${name}`).to.equal(true)
    }
  })

  each('settings exist', (document) => {
    for (const code of codesIn(document)) {
      const [, plugin = '', key = ''] = /^(\w+)\.(\w+)$/.exec(code) ?? []
      if (key && settings.has(plugin) && !existsSync(join('plugins', plugin, code)))
        expect(settings.get(plugin), `${document.file}: ${code}`).to.include(key)
    }
  })

  each('files exist', ({ file, text }) => {
    const paths = text.matchAll(/(?<![\w/.@])(?:config|kernel|plugins|test|migrations|data)\/[\w./-]*\w/g)
    // Made at the first start, and by `npm run docs`.
    const isMade = (path: string): boolean => path.startsWith('data/') || path in PACKAGED
    for (const [path] of [...paths].filter(([one]) => !isMade(one)))
      expect(existsSync(path) || existsSync(`${path}.ts`), `${file}: ${path}`).to.equal(true)
    const [, table = ''] = /^\| file \|.*\n\|[-| ]+\|\n((?:\|.*\n)+)/m.exec(text) ?? []
    for (const [, names = ''] of table.matchAll(/^\| ([^|]+) \|/gm))
      for (const name of names.split(', '))
        expect(existsSync(join(dirname(file), `${name}.ts`)), `${file}: ${name}`).to.equal(true)
  })

  it('errors have the status that the page says', () => {
    const answers = documents.find(({ file }) => file === 'kernel/docs/answers.md')?.text ?? ''
    const [, table = ''] = /^\| error \| status \|.*\n\|[-| ]+\|\n((?:\|.*\n)+)/m.exec(answers) ?? []
    const rows = [...table.matchAll(/^\| (.+?) \| (\d+) \|/gm)]
    expect(rows).to.not.have.length(0)
    for (const [, texts = '', status] of rows)
      for (const [, text = ''] of texts.matchAll(/`([^`]+)`/g)) {
        const parts = text.split('…').map((part) => part.trim())
        const found = [...errorTable().values()].filter(
          ([code, words]) => code === Number(status) && parts.every((part) => words.includes(part)),
        )
        expect(found, text).to.not.have.length(0)
      }
  })
})

function keysOf(schema: unknown): string[] {
  return Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})
}
