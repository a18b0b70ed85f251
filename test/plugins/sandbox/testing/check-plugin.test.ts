import { checkPlugin } from '@wamux/sandbox/testing'
import { expect } from 'chai'
import { asFunction, definePlugin, type Migration, type Plugin, T } from 'wamux/plugin'

const base = { name: 'sample', version: '1.0.0', api: '^1.0.0' }
const rows = (table: string, down = true): Migration => ({
  up: (knex) => knex.schema.createTable(table, (columns) => void columns.text('id').primary()),
  down: async (knex) => {
    if (down) await knex.schema.dropTable(table)
  },
})
const spec = (more: object): Plugin => definePlugin({ ...base, ...more })
let timer: NodeJS.Timeout

const faults: readonly [what: string, plugin: unknown, words: string][] = [
  ['something else than a plugin', { hello: 1 }, 'must come from definePlugin()'],
  ['a field that the contract does not know', spec({ route: () => [] }), 'has no field "route"'],
  ['a version that is none', spec({ version: 'one' }), '"version" must be a semver version, not "one"'],
  ['a range without an upper end', spec({ api: '>=1' }), '"api" must not promise plugin API 2.0.0'],
  ['an unknown service', spec({ needs: ['nonsense'] }), 'needs "nonsense", which no enabled plugin provides'],
  [
    'a setting without description',
    spec({ config: T.Object({ a: T.Optional(T.String()) }) }),
    'config.a has no description',
  ],
  [
    'a setting below without description',
    spec({ config: T.Object({ a: T.Optional(T.Object({ b: T.String() }, { description: 'a' })) }) }),
    'config.a.b has no description',
  ],
  [
    'open settings',
    spec({ config: T.Object({}, { additionalProperties: true }) }),
    'must not allow unknown keys',
  ],
  [
    'settings that it can not start without',
    spec({ config: T.Object({ url: T.String({ description: 'Where' }) }) }),
    `configuration of plugin "sample": "" must have required property 'url'`,
  ],
  [
    'a route without response',
    definePlugin({ ...base, routes: (r) => [r.get('/s', { summary: 's', handle: async () => ({}) })] }),
    'GET /s has no "response" schema',
  ],
  [
    'a schema with a misspelt rule',
    definePlugin({
      ...base,
      routes: (r) => [
        r.post('/s', {
          summary: 's',
          body: T.Object({ a: T.String({ format: 'line', maxLenght: 3 }) }),
          response: T.Object({}),
          handle: async () => ({}),
        }),
      ],
    }),
    'POST /s: strict mode: unknown keyword: "maxLenght"',
  ],
  [
    'a migration without order',
    spec({ migrations: { rows: rows('sample_rows') } }),
    'must be named like "001_rows"',
  ],
  [
    'a foreign table',
    spec({ migrations: { '001_rows': rows('other_rows') } }),
    'its tables must begin with "sample_"',
  ],
  [
    'a down that leaves something',
    spec({ migrations: { '001_rows': rows('sample_rows', false) } }),
    'the down steps of its migrations leave sample_rows',
  ],
  [
    'a setup that fails',
    spec({ setup: () => Promise.reject(new Error('no power')) }),
    'failed in setup: no power',
  ],
  [
    'a disposer that fails',
    spec({
      services: () => ({
        pump: asFunction(() => ({}))
          .singleton()
          .disposer(() => Promise.reject(new Error('stuck'))),
      }),
      setup: ({ pump }: { pump: object }) => void pump,
    }),
    'stuck',
  ],
  [
    'a timer left open',
    spec({
      setup: async () => {
        timer = setInterval(() => undefined, 60_000)
      },
    }),
    'a timer opened at',
  ],
]

describe('checkPlugin', () => {
  after(() => clearInterval(timer))

  for (const [what, plugin, words] of faults) {
    it(`finds ${what}`, async () => {
      expect((await checkPlugin(plugin as Plugin)).join('\n')).to.include(words)
    })
  }

  it('finds nothing in metrics and health checks, which built-in plugins collect', async () => {
    const plugin = definePlugin({
      ...base,
      contributes: {
        metrics: () => ({ sample_total: { type: 'counter', help: 'Samples', collect: () => 1 } }),
        healthChecks: () => ({ sample: { check: async () => undefined } }),
      },
    })
    expect(await checkPlugin(plugin)).to.deep.equal([])
  })

  it('finds nothing on a plugin in order, with settings and stubs of the test', async () => {
    const plugin = spec({
      config: T.Object({ url: T.String({ description: 'Where' }) }),
      needs: ['nonsense', 'sender'],
      migrations: { '001_rows': rows('sample_rows') },
    })
    const given = { config: { url: 'http://127.0.0.1' }, override: { nonsense: {} } }
    expect(await checkPlugin(plugin, given)).to.deep.equal([])
  })
})
