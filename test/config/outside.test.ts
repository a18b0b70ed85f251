import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../config/load.ts'
import { temporaryFolder } from '../support/databases.ts'
import { testGateway } from '../support/gateway.ts'

const SDK = `import { asValue, definePlugin } from ${JSON.stringify(new URL('../../kernel/plugin.ts', import.meta.url).href)}\n`
const plugin = (fields: string, name = 'guest'): string =>
  `${SDK}export default definePlugin({ name: '${name}', version: '1.0.0', api: '^1.0.0', ${fields} })`
const route = (path: string): string =>
  `routes: (r) => [r.get('${path}', { summary: 's', access: 'public', handle: async () => ({ here: true }) })]`
const table = (name: string): string =>
  `migrations: { '001_a': { up: (knex) => knex.schema.createTable('${name}', (t) => { t.text('a') }), down: async () => {} } }`
const provider = "provides: ['clock'], services: () => ({ clock: asValue(0) })"

interface Case {
  what: string
  /** Modules by file name; `guest.mjs` is the one at fault. */
  files: Record<string, string>
  settings?: object
  says: string
  /** Whether `optional: true` on the guest lets the rest start; a clash has no single cause. */
  own: boolean
  hangs?: boolean
}

const ADVICE = 'fix it, remove it from "plugins", or make it "optional: true"'
const cases: Case[] = [
  {
    what: 'is not there',
    files: {},
    says: 'plugin "./guest.mjs" can not be loaded from FOLDER: no such package or file there; install it there, correct the path',
    own: true,
  },
  {
    what: 'throws at import',
    files: { 'guest.mjs': "throw new Error('no licence')" },
    says: `plugin "./guest.mjs" failed in import: no licence; ${ADVICE}`,
    own: true,
  },
  {
    what: 'never finishes its import',
    files: { 'guest.mjs': 'await new Promise(() => {})' },
    says: `plugin "./guest.mjs" did not finish import within 0.5 s; ${ADVICE}`,
    own: true,
    hangs: true,
  },
  {
    what: 'is something else',
    files: { 'guest.mjs': 'export default { hello: 1 }' },
    says: '"./guest.mjs" is not a wamux plugin: its default export must come from definePlugin(); update it',
    own: true,
  },
  {
    what: 'is for another API',
    files: { 'guest.mjs': plugin('').replace('^1.0.0', '^9.0.0') },
    says: 'plugin "guest" was written for plugin API ^9.0.0, this is 1.',
    own: true,
  },
  {
    what: 'has a bad setting',
    files: { 'guest.mjs': plugin(route('/guest')) },
    settings: { colour: 'red' },
    says: 'configuration of plugin "guest": unknown key "colour"; known: none; correct it in the file or in WAMUX_GUEST_',
    own: true,
  },
  {
    what: 'needs what no plugin provides',
    files: { 'guest.mjs': plugin("needs: ['clock']") },
    says: 'plugin "guest" needs "clock", which no enabled plugin provides; add one that does',
    own: true,
  },
  {
    what: 'throws in services',
    files: { 'guest.mjs': plugin(`services: () => { throw new Error('no parts') }, ${route('/guest')}`) },
    says: `plugin "guest" failed in services: no parts; ${ADVICE}`,
    own: true,
  },
  {
    what: 'provides what it does not make',
    files: { 'guest.mjs': plugin("provides: ['clock']") },
    says: 'plugin "guest" failed in services: Could not resolve \'clock\'',
    own: true,
  },
  {
    what: 'takes the name of a service of the kernel',
    files: { 'guest.mjs': plugin('services: () => ({ log: asValue(0) })') },
    says: 'plugin "guest", service "log": the kernel or another plugin already provides that name; its author must fix that',
    own: true,
  },
  {
    what: 'throws in setup',
    files: { 'guest.mjs': plugin(`setup: async () => { throw new Error('no power') }, ${route('/guest')}`) },
    says: `plugin "guest" failed in setup: no power; ${ADVICE}`,
    own: true,
  },
  {
    what: 'hangs in setup',
    files: { 'guest.mjs': plugin(`setup: () => new Promise(() => {}), ${route('/guest')}`) },
    says: `plugin "guest" did not finish setup within 0.5 s; ${ADVICE}`,
    own: true,
    hangs: true,
  },
  {
    what: 'makes a table without its prefix',
    files: { 'guest.mjs': plugin(table('loot')) },
    says: 'plugin "guest" created the table "loot"; its tables must begin with "guest_"; all changes were rolled back',
    own: true,
  },
  {
    what: 'has a route that another has',
    files: { 'guest.mjs': plugin(route('/host')) },
    says: 'GET /host is registered by both "host" and "guest"; enable one of them',
    own: false,
  },
  {
    what: 'provides a service that another provides',
    files: { 'guest.mjs': plugin(provider), 'other.mjs': plugin(provider, 'other') },
    says: '"clock" is provided by both "guest" and "other"; enable one of them',
    own: false,
  },
  {
    what: 'stands in a circle',
    files: {
      'guest.mjs': plugin(`needs: ['hands'], ${provider}`),
      'other.mjs': plugin(
        "needs: ['clock'], provides: ['hands'], services: () => ({ hands: asValue(0) })",
        'other',
      ),
    },
    says: 'circular dependency of plugins: guest -> other -> guest; remove one of them',
    own: false,
  },
  {
    what: 'has the name of another',
    files: { 'guest.mjs': plugin(''), 'other.mjs': plugin('') },
    says: 'plugin "guest" is listed twice; remove one of them',
    own: false,
  },
  {
    what: 'would share its tables with another',
    files: { 'guest.mjs': plugin('', '@a/b'), 'other.mjs': plugin('', 'a-b') },
    says: 'plugin "a-b" would share its tables with plugin "@a/b"; only one of them',
    own: false,
  },
]

async function gatewayOf({ files, hangs, settings = {} }: Case, optional: boolean) {
  const folder = temporaryFolder()
  const seconds = hangs ? 0.5 : 10
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, 'host.mjs'), plugin(`${route('/host')}`, 'host'))
  const names = ['host.mjs', 'guest.mjs', ...Object.keys(files).filter((name) => name !== 'guest.mjs')]
  const entry = (name: string) => (name === 'guest.mjs' ? { optional, config: settings } : {})
  const list = Object.fromEntries(names.map((name) => [`./${name}`, entry(name)]))
  const file = join(folder, 'wamux.json')
  writeFileSync(file, JSON.stringify({ plugins: list }))
  // Only those from outside, without wamux's own beside them.
  const loaded = await loadConfig({ WAMUX_CONFIG: file }, {}, seconds)
  const plugins = loaded.plugins.filter(({ from }) => from?.startsWith('./'))
  const patience = { setup: seconds, close: seconds }
  return { folder, open: () => testGateway({ plugins, dataDir: folder, pluginTimeouts: patience }) }
}

describe('a plugin from outside that', () => {
  for (const one of cases) {
    describe(one.what, () => {
      it('stops the start, with its name, the cause and the cure, and leaves nothing running', async () => {
        const { folder, open } = await gatewayOf(one, false)
        const begin = async () => {
          const gateway = open()
          await gateway.start()
          await gateway.stop()
        }
        const error = await begin().catch((reason: Error) => reason)
        expect(error).to.have.property('code', 'START_FAILED')
        expect((error as Error).message).to.include(one.says.replace('FOLDER', folder))
        // The database is free again, and it is no different the second time.
        const second = await begin().catch((reason: Error) => reason)
        expect(second).to.have.property('message', (error as Error).message)
      })

      if (one.own) {
        it('is left out when it is optional, whole', async () => {
          const { open } = await gatewayOf(one, true)
          const gateway = open()
          await gateway.start()
          expect((await gateway.get('/host')).data).to.deep.equal({ here: true })
          const [, guest] = gateway.describe().plugins
          expect(guest).to.include({ state: 'failed' })
          for (const { path } of guest?.routes ?? []) {
            const answer = await gateway.get(path)
            expect(answer).to.include({ status: 503 })
            expect(answer.error).to.include('The plugin "guest" is not available: ')
          }
          await gateway.stop()
        })
      }
    })
  }
})

describe('the list of plugins', () => {
  it('takes packages and files from the folder of the configuration, beside the standard ones', async () => {
    const folder = temporaryFolder()
    const home = join(folder, 'node_modules', 'wamux-plugin-guest')
    mkdirSync(home, { recursive: true })
    const manifest = {
      name: 'wamux-plugin-guest',
      type: 'module',
      exports: { '.': { default: './main.js' } },
    }
    writeFileSync(join(home, 'package.json'), JSON.stringify(manifest))
    writeFileSync(join(home, 'main.js'), plugin(route('/guest')))
    writeFileSync(join(folder, 'mine.mjs'), plugin(route('/mine'), 'mine'))
    const file = join(folder, 'wamux.yaml')
    const list = 'plugins:\n  docs: false\n  wamux-plugin-guest: true\n  ./mine.mjs: {}\n'
    writeFileSync(file, list)
    const { plugins } = await loadConfig({ WAMUX_CONFIG: file })
    const names = plugins.map((entry) => (entry.plugin as { spec: { name: string } }).spec.name)
    expect(names.slice(-2)).to.deep.equal(['guest', 'mine'])
    expect(names).to.include.members(['baileys', 'send']).and.not.include.members(['docs', 'sandbox'])
  })

  it('says what is wrong with a package that can not be loaded this way', async () => {
    const folder = temporaryFolder()
    const home = join(folder, 'node_modules', 'only-import')
    mkdirSync(home, { recursive: true })
    writeFileSync(
      join(home, 'package.json'),
      JSON.stringify({ name: 'only-import', exports: { '.': { import: './main.js' } } }),
    )
    writeFileSync(join(folder, 'wamux.yaml'), 'plugins:\n  only-import: true\n')
    const { plugins } = await loadConfig({ WAMUX_CONFIG: join(folder, 'wamux.yaml') })
    expect(() => testGateway({ plugins })).to.throw('exports nothing under the condition "default"')
  })
})
