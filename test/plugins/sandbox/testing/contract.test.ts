import { readFileSync } from 'node:fs'
import { checkPlugin } from '@wamux/sandbox/testing'
import { expect } from 'chai'
import { asFunction, definePlugin, type Plugin, T } from 'wamux/plugin'
import { BUILTIN } from '../../../../config/builtin.ts'
import { loadExample } from '../../../support/example.ts'

const base = { name: 'sample', version: '1.0.0', api: '^1.0.0' }
const spec = (more: object): Plugin => definePlugin({ ...base, ...more } as typeof base)
const read = { summary: 's', response: T.Object({}), handle: async () => ({}) }
const stuck = (): never => {
  throw new Error('no power')
}

interface Capability {
  /** Who uses it: a built-in plugin, or one of the examples `auto-responder` and `steady-pace`. */
  user: string
  /** A plugin that has it wrong, and what checkPlugin says. */
  broken: Plugin
  says: string
}

/** Every capability of the contract, with a plugin that uses it and the fault that checkPlugin finds in a broken one. */
const CAPABILITIES: Readonly<Record<string, Capability>> = {
  name: { user: 'calls', broken: spec({ name: 'Sample!' }), says: 'its name must be lower-case' },
  version: { user: 'calls', broken: spec({ version: 'one' }), says: '"version" must be a semver version' },
  api: { user: 'calls', broken: spec({ api: '>=1' }), says: '"api" must not promise plugin API 2.0.0' },
  config: {
    user: 'schedule',
    broken: spec({ config: T.Object({ a: T.Optional(T.String()) }) }),
    says: 'config.a has no description',
  },
  needs: { user: 'schedule', broken: spec({ needs: ['nonsense'] }), says: 'needs "nonsense"' },
  wants: { user: 'calls', broken: spec({ wants: 'ownership' }), says: '"wants" must be a list of names' },
  provides: {
    user: 'keys',
    broken: spec({ provides: ['sampleService'], services: () => ({}) }),
    says: 'sampleService',
  },
  shares: { user: 'cluster', broken: spec({ shares: 'the database' }), says: '"shares" must be a function' },
  overrides: {
    user: 'steady-pace',
    broken: spec({ overrides: ['media'] }),
    says: 'it overrides "media", which is not in its "provides"',
  },
  decorates: {
    user: 'schedule',
    broken: spec({ decorates: { nonsense: (next: unknown) => next } }),
    says: 'needs "nonsense"',
  },
  contributes: {
    user: 'calls',
    broken: spec({ contributes: { nonsense: () => 1 } }),
    says: 'it contributes to "nonsense", which no plugin collects',
  },
  collects: { user: 'jobs', broken: spec({ collects: 'jobs' }), says: '"collects" must be a list of names' },
  order: {
    user: 'auto-responder',
    broken: spec({ order: { after: ['sample'] } }),
    says: 'must not name the plugin itself',
  },
  migrations: {
    user: 'schedule',
    broken: spec({ migrations: { rows: { up: async () => undefined, down: async () => undefined } } }),
    says: 'must be named like "001_rows"',
  },
  errors: { user: 'schedule', broken: spec({ errors: { CRM: ['x'] } }), says: 'error "CRM"' },
  redact: { user: 'messaging', broken: spec({ redact: 'secret' }), says: '"redact" must be a list of names' },
  services: { user: 'schedule', broken: spec({ services: stuck }), says: 'no power' },
  routes: {
    user: 'schedule',
    broken: definePlugin({
      ...base,
      routes: (r) => [r.get('/s', { summary: 's', handle: async () => ({}) })],
    }),
    says: 'GET /s has no "response" schema',
  },
  scope: { user: 'schedule', broken: spec({ scope: 'write' }), says: '"scope" must be one of read, send' },
  events: {
    user: 'schedule',
    broken: spec({ events: { Sample: { class: 'Sample', summary: '' } } }),
    says: 'event Sample must have a "class" and a "summary"',
  },
  translate: {
    user: 'schedule',
    broken: spec({ translate: { 'sample.done': {} } }),
    says: '"translate" must be functions',
  },
  on: {
    user: 'calls',
    broken: spec({ on: { Mesage: () => undefined } }),
    says: 'it waits for the event "Mesage", which no plugin logs',
  },
  consume: {
    user: 'calls',
    broken: spec({
      consume: { types: ['Mesage'], handle: async () => undefined },
    }),
    says: 'it waits for the event "Mesage", which no plugin logs',
  },
  unreadable: {
    user: 'messages',
    broken: spec({ unreadable: 'Message' as never }),
    says: '"unreadable" must be classes of events by the names of signals',
  },
  setup: { user: 'keys', broken: spec({ setup: async () => stuck() }), says: 'failed in setup: no power' },
  ready: { user: 'jobs', broken: spec({ ready: async () => stuck() }), says: 'failed in ready: no power' },
}

describe('each capability of the contract', () => {
  let specs: Map<string, Plugin['spec']>
  before(async () => {
    const examples = await Promise.all([loadExample('auto-responder'), loadExample('steady-pace')])
    const builtin = await Promise.all(
      Object.values(BUILTIN).map(async (load) => (await load()).default as Plugin),
    )
    specs = new Map([...builtin, ...examples].map((plugin) => [plugin.spec.name, plugin.spec]))
  })

  it('is in this table', () => {
    const text = readFileSync(new URL('../../../../kernel/types/plugin.ts', import.meta.url), 'utf8')
    const [, body = ''] = /export interface PluginSpec<[\s\S]*?> \{\n([\s\S]*?)\n\}/.exec(text) ?? []
    const fields = [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, field]) => field)
    expect(fields).to.have.lengthOf(26)
    expect(Object.keys(CAPABILITIES)).to.have.members(fields)
  })

  for (const [field, { user, broken, says }] of Object.entries(CAPABILITIES)) {
    it(`${field} is used by ${user}`, () => {
      const users = [...specs].filter(([, one]) => one[field as keyof typeof one] !== undefined)
      expect(users.map(([name]) => name)).to.include(user)
    })
    it(`${field} is checked`, async () => {
      expect((await checkPlugin(broken)).join('\n')).to.include(says)
    })
  }

  it('is in order in a plugin that has many of them right', async () => {
    const right = definePlugin({
      ...base,
      services: () => ({
        sampleValue: asFunction(() => 1)
          .singleton()
          .disposer(() => undefined),
      }),
      routes: (r) => [r.get('/sample', { ...read, access: 'token' })],
      contributes: {
        around: () => (_, next) => next(),
        authenticate: () => async () => undefined,
        login: () => async () => undefined,
      },
      setup: async () => undefined,
      ready: async ({ sampleValue }) => void expect(sampleValue).to.equal(1),
    })
    expect(await checkPlugin(right)).to.deep.equal([])
  })
  it('has hooks around requests that let no stranger in', async () => {
    const routes = (access: 'known' | 'admin') => (r: { get: never }) => [
      (r as { get(path: string, spec: object): never }).get('/sample', { ...read, access }),
    ]
    const lenient = [
      spec({
        routes: routes('known'),
        contributes: { authenticate: () => async () => ({ id: 'anybody', scopes: ['read'] }) },
      }),
      spec({ routes: routes('admin'), contributes: { around: () => async () => ({}) } }),
    ]
    for (const plugin of lenient)
      expect((await checkPlugin(plugin)).join()).to.include('GET /sample answers 200 to an unknown token')
  })

  it('has disposers that do not fail', async () => {
    const plugin = definePlugin({
      ...base,
      services: () => ({
        sampleValue: asFunction(() => 1)
          .singleton()
          .disposer(() => stuck()),
      }),
      setup: async ({ sampleValue }) => void expect(sampleValue).to.equal(1),
    })
    expect((await checkPlugin(plugin)).join()).to.include('no power')
  })
})
