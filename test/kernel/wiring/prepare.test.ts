import { expect } from 'chai'
import { asValue, definePlugin, type Plugin, T } from '../../../kernel/plugin.ts'
import { prepare } from '../../../kernel/wiring/prepare.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    egg: string
    hen: string
  }
}

const base = { version: '1.0.0', api: '^1.0.0' }
const plain = (name: string): Plugin => definePlugin({ ...base, name })
const route = (name: string, path: string): Plugin =>
  definePlugin({
    ...base,
    name,
    routes: (r) => [r.get(path, { summary: 's', access: 'public', handle: async () => ({}) })],
  })
const egg = definePlugin({
  ...base,
  name: 'egg',
  needs: ['hen'],
  provides: ['egg'],
  services: () => ({ egg: asValue('e') }),
})
const hen = definePlugin({
  ...base,
  name: 'hen',
  needs: ['egg'],
  provides: ['hen'],
  services: () => ({ hen: asValue('h') }),
})
const lonely = definePlugin({
  ...base,
  name: 'coop',
  provides: ['hen'],
  services: () => ({ hen: asValue('h') }),
})

const faults: readonly [what: string, plugins: unknown[], message: string][] = [
  [
    'something else than a plugin',
    [{ hello: 1 }],
    'one of the listed modules is not a wamux plugin: its default export must come from definePlugin()',
  ],
  [
    'a plugin of an unknown generation',
    [{ ...plain('a'), v: 2 }],
    '"a" is not a wamux plugin: unknown generation 2',
  ],
  ['a plugin without a usable name', [plain('A b')], 'its name must be lower-case letters'],
  ['one name twice', [plain('a'), plain('a')], 'plugin "a" is listed twice'],
  [
    'another API version',
    [{ ...plain('a'), spec: { ...plain('a').spec, api: '^9.0.0' } }],
    'plugin "a" was written for plugin API ^9.0.0, this is 1.',
  ],
  [
    'a range that is none',
    [{ ...plain('a'), spec: { ...plain('a').spec, api: 'soon' } }],
    '"api" must be a semver range, not "soon"',
  ],
  ['a missing need', [egg], 'plugin "egg" needs "hen", which no enabled plugin provides'],
  ['a circle', [egg, hen], 'circular dependency of plugins: egg -> hen -> egg'],
  ['two providers', [egg, hen, lonely], '"hen" is provided by both "hen" and "coop"; enable one of them'],
  [
    'a route clash',
    [route('a', '/x/:id'), route('b', '/x/:name')],
    'GET /x/:name is registered by both "a" and "b"',
  ],
  [
    'a text without a bound in a body',
    [
      definePlugin({
        ...base,
        name: 'a',
        routes: (r) => [
          r.post('/x', {
            summary: 's',
            access: 'public',
            body: T.Object({ Rows: T.Array(T.Object({ Title: T.String() })) }),
            handle: async () => ({}),
          }),
        ],
      }),
    ],
    'plugin "a", route POST /x: Rows[].Title has no bound; give it a maxLength, or one of these as its format: phone,',
  ],
  ['a strange path', [route('a', 'x y')], 'plugin "a", route GET x y: the path must begin with "/"'],
]

describe('checking plugins before anything starts', () => {
  for (const [what, plugins, message] of faults) {
    it(`refuses ${what} in clear words`, () => {
      expect(() => prepare(plugins.map((plugin) => ({ plugin })))).to.throw(message)
    })
  }

  it('reports every fault at once', () => {
    const all = () =>
      prepare([{ plugin: plain('A') }, { plugin: plain('b'), config: { x: 1 } }, { plugin: {} }])
    expect(all).to.throw(
      /must be lower-case[\s\S]*unknown key "x"; known: none|unknown key "x"[\s\S]*must be lower-case/,
    )
  })

  it('names the key, its rule and the allowed values of a bad setting', () => {
    const config = T.Object({
      timeoutMs: T.Integer({ minimum: 1 }),
      mode: T.Union([T.Literal('fast'), T.Literal('safe')]),
    })
    const plugin = definePlugin({ ...base, name: 'a', config })
    const bad = () => prepare([{ plugin, config: { timeoutMs: 'soon', mode: 'odd', extra: 1 } }])
    expect(bad)
      .to.throw('configuration of plugin "a"')
      .with.property('message')
      .that.includes('"timeoutMs" must be integer')
    expect(bad).to.throw('unknown key "extra"; known: timeoutMs, mode')
  })

  it('starts providers before those that need them, and otherwise keeps the order', () => {
    const user = definePlugin({ ...base, name: 'user', needs: ['hen'] })
    const names = prepare([{ plugin: user }, { plugin: plain('x') }, { plugin: lonely }]).map(
      ({ name }) => name,
    )
    expect(names).to.deep.equal(['coop', 'user', 'x'])
  })
})
