import { expect } from 'chai'
import { BUILTIN, CARDS } from '../../config/builtin.ts'
import { loadConfig } from '../../config/load.ts'
import { definePlugin, type GatewayError, type Plugin, type Route } from '../../kernel/plugin.ts'
import type { Listed } from '../../kernel/wiring/prepare.ts'
import { prepare } from '../../kernel/wiring/prepare.ts'
import { ADMIN, startedGateway, type TestGateway } from '../support/gateway.ts'
import { isWhole } from '../support/run/whole.ts'

/** Of the profile `all`. */
const plugins = await Promise.all(
  Object.entries(BUILTIN)
    .filter(([name]) => !CARDS[name]?.isOptIn)
    .map(async ([, load]) => (await load()).default as Plugin),
)

const whole = prepare(plugins.map((plugin) => ({ plugin })))

describe('with one plugin switched off', () => {
  // Each of them starts a gateway: a plain run has a fifth.
  for (const { spec } of isWhole ? plugins : plugins.filter((_, at) => at % 5 === 0)) {
    const needers = neededFrom([spec.name])
    const off = [spec.name, ...needers]

    if (needers.length > 0) {
      it(`${spec.name}: the start fails and names who needs it`, async () => {
        const { plugins: listed } = await loadConfig({ WAMUX_PROFILE: 'all' }, { [spec.name]: false })
        const wanted = needers.flatMap((name) =>
          needsOf(name)
            .filter(isProvidedBy([spec.name]))
            .map((service) => `plugin "${name}" needs "${service}"`),
        )
        const { code, message } = startErrorOf(listed)
        expect(code).to.equal('START_FAILED')
        expect(message.match(/plugin "[^"]+" needs "[^"]+"/g)).to.have.members(wanted)
      })
    }

    it(`${off.join(', ')}: gone from routes, events and description; the rest works`, async () => {
      const { gateway, classes } = await startWithout(off)
      try {
        await proveGone(gateway, off)
        await proveThere(gateway, off)
        await proveDropped(gateway, goneClasses(off), classes)
      } finally {
        await gateway.stop()
      }
    })
  }
})

function startErrorOf(listed: readonly Listed[]): GatewayError {
  try {
    prepare(listed)
  } catch (error) {
    return error as GatewayError
  }
  throw new Error('it started')
}

async function startWithout(off: readonly string[]): Promise<{ gateway: TestGateway; classes: string[] }> {
  const none = Object.fromEntries(off.map((name) => [name, false]))
  const { plugins: listed } = await loadConfig({ WAMUX_PROFILE: 'all' }, none)
  let classes: string[] = []
  const probe = definePlugin({
    name: 'probe',
    version: '1.0.0',
    api: '^1.0.0',
    setup: async ({ events }) => {
      classes = events.classes()
    },
  })
  const gateway = await startedGateway({ plugins: [...listed, { plugin: probe }] })
  return { gateway, classes }
}

/** Whether a path is one of those that a pattern with parameters stands for. */
function matches(pattern: string, path: string): boolean {
  const [parts, given] = [pattern.split('/'), path.split('/')]
  return (
    parts.length === given.length && parts.every((part, at) => part.startsWith(':') || part === given[at])
  )
}

async function proveGone(gateway: TestGateway, off: readonly string[]): Promise<void> {
  const known = gateway.describe().plugins.map(({ name }) => name)
  for (const name of off) expect(known).not.to.include(name)
  const routes = whole
    .filter(({ name }) => off.includes(name))
    .flatMap((entry) => entry.routes.map(({ route }) => route))
  const left = gateway.describe().plugins.flatMap((plugin) => plugin.routes)
  for (const { route, status, error } of await callAll(gateway, routes)) {
    // Its path may be that of another plugin's route with a parameter: `POST /send/text`, `GET /send/:id`.
    const isTaken = left.some(({ path }) => matches(path, route.path))
    // It is then unknown only if it resembles another route of its method.
    const gone = ['404 Not found', ...(isTaken ? ['405 Method not allowed'] : [])]
    expect(`${status} ${error}`, nameOf(route)).to.be.oneOf(gone)
  }
  if (off.includes('docs')) return
  const { paths, webhooks } = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
    paths: object
    webhooks: object
  }
  for (const { path } of routes) expect(paths).not.to.have.property(path.replace(/:(\w+)/g, '{$1}'))
  for (const type of off.flatMap(typesOf)) expect(webhooks).not.to.have.property(type)
}

async function proveThere(gateway: TestGateway, off: readonly string[]): Promise<void> {
  const { plugins: running } = gateway.describe()
  expect(running).to.have.length(plugins.length - off.length + 1)
  for (const { name, state, error } of running) expect(state, `${name} ${error ?? ''}`).to.equal('ready')
  const routes = running.flatMap((plugin) => plugin.routes).filter(({ path }) => !path.includes(':'))
  for (const { route, status } of await callAll(gateway, routes)) {
    const isOpen = route.spec.access === 'public'
    // Without a driver it has a check that fails.
    const isUnready = route.path === '/server/ready' && off.includes('baileys')
    // The body that a public POST needs is missing.
    const answered = route.method === 'GET' ? 200 : 400
    expect(status, nameOf(route)).to.equal(isUnready ? 503 : isOpen ? answered : 401)
  }
}

/** A class that no plugin provides is dropped, and named. */
async function proveDropped(gateway: TestGateway, gone: readonly string[], classes: string[]): Promise<void> {
  for (const name of gone) expect(classes).not.to.include(name)
  if (!gateway.describe().plugins.some(({ name }) => name === 'session')) return
  for (const name of gone) {
    const answer = await gateway.post('/session/init', { Subscribe: [name] }, { admintoken: ADMIN })
    expect(answer.data).to.deep.include({ dropped: [name], subscribe: ['None'] })
  }
}

function callAll(
  gateway: TestGateway,
  routes: readonly Route[],
): Promise<{ route: Route; status: number; error?: string }[]> {
  return Promise.all(
    routes.map(async (route) => {
      const response = await fetch(gateway.url + route.path.replaceAll(':', ''), { method: route.method })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
      return {
        route,
        status: response.status,
        error: isJson ? (JSON.parse(text) as { error?: string }).error : '',
      }
    }),
  ) as Promise<{ route: Route; status: number; error?: string }[]>
}

/** Those that can't start without the named ones, directly or by each other. */
function neededFrom(off: readonly string[]): string[] {
  const found = plugins
    .map(({ spec }) => spec.name)
    .filter((name) => !off.includes(name) && needsOf(name).some(isProvidedBy(off)))
  return found.length === 0 ? [] : [...found, ...neededFrom([...off, ...found])]
}

function isProvidedBy(names: readonly string[]): (service: string) => boolean {
  return (service) => names.some((name) => specOf(name).provides?.some((one: string) => one === service))
}

function needsOf(name: string): string[] {
  const { needs = [], decorates = {} } = specOf(name)
  return [...new Set([...needs, ...Object.keys(decorates)])]
}

function goneClasses(off: readonly string[]): string[] {
  const left = plugins.flatMap(({ spec }) => (off.includes(spec.name) ? [] : classesOf(spec.name)))
  return [...new Set(off.flatMap(classesOf))].filter((name) => name !== 'All' && !left.includes(name))
}

function classesOf(name: string): string[] {
  return Object.values(specOf(name).events ?? {}).map((event) => (event as { class: string }).class)
}

function typesOf(name: string): string[] {
  return Object.keys(specOf(name).events ?? {})
}

function specOf(name: string): Plugin['spec'] {
  const plugin = plugins.find(({ spec }) => spec.name === name)
  if (!plugin) throw new Error(`no plugin ${name}`)
  return plugin.spec
}

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`
}
