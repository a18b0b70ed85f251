import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Listed } from 'wamux'
import { createGateway, createLog, type Gateway, type GatewayOptions } from 'wamux'
import { migrations, newAjv } from 'wamux/kit'
import type { Plugin, Reply, Route } from 'wamux/plugin'
import { type Calls, callsOf } from './calls.ts'
import { companions, type Override, withConfig } from './companions.ts'
import { withEventChecks } from './events.ts'
import { watchLeaks } from './leaks.ts'
import { createPhone, type NewPhone, type TestPhone } from './phones.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { linkSession, type TestSession } from './sessions.ts'

export interface TestGatewayOptions {
  /** The plugins under test, added to the built-in ones and the local network. */
  plugins: readonly Plugin[]
  /** Settings by plugin name. */
  config?: Readonly<Record<string, object>>
  /** Services by name, which replace the real ones. */
  override?: Override
  /** Built-in plugins to leave out by name, for example one whose services a plugin under test provides. */
  without?: readonly string[]
}

export interface LogLine {
  readonly level: number
  readonly msg: string
  readonly plugin?: string
  readonly [field: string]: unknown
}

/** A real gateway on the local network, with its own SQLite database and a free port. */
export interface TestGateway extends Calls, Pick<Gateway, 'url' | 'service' | 'describe'> {
  /** Headers of an admin call. */
  readonly admin: { readonly admintoken: string }
  /** All log lines. */
  readonly logs: readonly LogLine[]
  /** Creates a simulated phone with its own account. */
  phone(options?: NewPhone): Promise<TestPhone>
  /** Creates a session linked to `phone`, or to a new one; it is logged in. */
  session(options?: { phone?: TestPhone; subscribe?: readonly string[] }): Promise<TestSession>
  /** Sets the time of gateway and phones forward, for example by `61 days`; resolves when what became due has run. */
  advance(by: string): Promise<void>
  /** Starts a webhook receiver, which closes with the gateway. */
  receiver(): Promise<Receiver>
  /** Stops everything. Rejects if a plugin left a timer or a connection open, naming the code that opened it. */
  stop(): Promise<void>
}

/**
 * Starts a gateway for tests of plugins.
 *
 * @example
 * const gateway = await startTestGateway({ plugins: [crm], config: { crm: { url: 'http://127.0.0.1' } } })
 * const session = await gateway.session()
 * const answer = await session.post('/crm/sync', { Phone: '5511999999999' })
 * expect(answer.status).to.equal(200)
 * await gateway.stop()
 */
export async function startTestGateway(options: TestGatewayOptions): Promise<TestGateway> {
  const { config = {}, override = {}, without = [] } = options
  const own = options.plugins.map(withResponseChecks)
  return startOn(withConfig([...(await companions(own, override, without)), ...own], config))
}

type Opened = Partial<GatewayOptions> & Pick<GatewayOptions, 'plugins' | 'dataDir'>

export type OpenOptions = Opened & {
  /** Receives every line of the log. */
  write(line: string): void
}

/** A gateway for tests, not yet started: on a free port, with short waits and its own keys. */
export function openGateway({ write, plugins, ...options }: OpenOptions): Gateway {
  return createGateway({
    plugins: plugins.map(checkedEvents),
    migrations,
    version: '0.0.0-test',
    log: createLog({ level: 'debug', stream: { write } }),
    keys: `k1:${randomBytes(32).toString('base64')}`,
    adminToken: randomBytes(32).toString('hex'),
    allowPrivateHosts: ['127.0.0.1'],
    reconnect: { first: 20, most: 500 },
    ...options,
  })
}

/** Entries that are not plugins are left for the gateway to refuse. */
function checkedEvents(entry: Listed): Listed {
  const { plugin } = entry
  return isPlugin(plugin) ? { ...entry, plugin: withEventChecks(plugin) } : entry
}

function isPlugin(value: unknown): value is Plugin {
  return (value as Partial<Plugin> | undefined)?.spec !== undefined
}

/** Starts a gateway with exactly these plugins. */
export async function startOn(plugins: readonly Listed[]): Promise<TestGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'wamux-test-'))
  const watch = watchLeaks()
  const admin = { admintoken: randomBytes(32).toString('hex') }
  const logs: LogLine[] = []
  const clean = async (): Promise<string[]> => {
    rmSync(dataDir, { recursive: true, force: true })
    return watch.leaks()
  }
  const gateway = await watch.run(async () => {
    try {
      const made = openGateway({
        plugins,
        dataDir,
        adminToken: admin.admintoken,
        write: (line) => void logs.push(JSON.parse(line)),
      })
      await made.start()
      return made
    } catch (error) {
      await clean()
      throw error
    }
  })
  const calls = callsOf(gateway)
  const receivers: Receiver[] = []
  return {
    ...calls,
    url: gateway.url,
    admin,
    logs,
    service: (name) => gateway.service(name),
    describe: () => gateway.describe(),
    phone: (given = {}) => createPhone(calls, admin, given),
    async session({ phone, subscribe = ['All'] } = {}) {
      const owner = phone ?? (await createPhone(calls, admin, {}))
      return linkSession(calls, admin, owner, { subscribe, link: ({ token }) => owner.link(token) })
    },
    async advance(by) {
      const { success, error } = await calls.post('/sandbox/clock', { Advance: by }, admin)
      if (!success) throw new Error(`the clock was not set forward by ${by}: ${error}`)
    },
    async receiver() {
      const receiver = await startReceiver()
      receivers.push(receiver)
      return receiver
    },
    async stop() {
      await gateway.stop()
      await Promise.all(receivers.map((receiver) => receiver.close()))
      const leaks = await clean()
      if (leaks.length > 0)
        throw new Error(`still open after the stop:\n${leaks.map((leak) => `- ${leak}`).join('\n')}`)
    },
  }
}

/** The same plugin, with routes that fail if their answer does not match their `response`. */
function withResponseChecks(plugin: Plugin): Plugin {
  const { routes, ...spec } = plugin.spec
  if (!routes) return plugin
  const checked: typeof routes = (builder, config) => routes(builder, config).map(check)
  return { ...plugin, spec: { ...spec, routes: checked } }
}

function check(route: Route): Route {
  const { response, handle } = route.spec
  if (!response) return route
  const ajv = newAjv({ allErrors: true })
  ajv.opts.useDefaults = false
  const validate = ajv.compile(response)
  const place = `${route.method} ${route.path}`
  return {
    ...route,
    spec: {
      ...route.spec,
      async handle(request, deps) {
        const answer = await handle(request, deps)
        // In the form that clients get.
        if (isReply(answer) || validate(JSON.parse(JSON.stringify(answer ?? {})))) return answer
        throw new Error(
          `${place} gave an answer that its "response" does not allow: ${ajv.errorsText(validate.errors)}`,
        )
      },
    },
  }
}

function isReply(answer: unknown): answer is Reply {
  return (answer as Partial<Reply> | undefined)?.$type === 'wamux/reply'
}
