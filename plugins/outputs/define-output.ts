import {
  asFunction,
  definePlugin,
  type GatewayServices,
  gatewayError,
  type Kernel,
  type Plugin,
  reasonOf,
  type ServiceName,
  type Static,
  T,
  type TObject,
  type TSchema,
} from 'wamux/plugin'
import type { Output } from './contract.ts'

/** Settings by name. */
type Properties = Readonly<Record<string, TSchema>>
type WithUrl = Properties & { readonly url: TSchema }

const TLS = {
  tlsCa: T.String({
    default: '',
    description: 'Certificates to trust, PEM; the certificates of the system when empty',
  }),
  tlsCert: T.String({ default: '', description: 'Certificate of this client, PEM' }),
  tlsKey: T.String({ default: '', description: 'Its private key, PEM' }),
}

const COMMON = {
  types: T.Array(T.String(), {
    default: [],
    description: 'Event types or classes to publish; all when empty',
  }),
  sessions: T.Array(T.String(), {
    default: [],
    description: 'Names or ids of the sessions to publish; all when empty',
  }),
  window: T.Integer({
    default: 64,
    minimum: 1,
    maximum: 1_000,
    description: 'Messages that may await confirmation; 1 keeps the order of a session even after an error',
  }),
  timeoutMs: T.Integer({
    default: 5_000,
    minimum: 100,
    description: 'Milliseconds within which the server must confirm a message',
  }),
}

const Shared = T.Object({ url: T.String(), ...TLS, ...COMMON })
type SharedConfig = Static<typeof Shared>

/** The settings of an output: its own, and those that every output has. */
export type OutputConfig<P extends Properties> = Static<TObject<P>> & SharedConfig

/** What `create` gets: the kernel, and the services that the output wants. */
export type OutputDeps<P extends Properties, O extends ServiceName = never> = Kernel<OutputConfig<P>> & {
  readonly [K in O]?: GatewayServices[K] | undefined
}

/** The state of the connection. The output reports what it sees, and `outputs` publishes only while nothing is wrong. */
export interface OutputConnection {
  /** Hosts of `url`, without credentials. */
  readonly broker: string
  /** Why nothing can be published; '' while it is connected. */
  readonly problem: string
  connected(): void
  /** @param error why; each new reason is logged once. Without one a reason that is known already stays. */
  lost(error?: unknown): void
  /** Connected, but the broker accepts nothing for now; ends with `unblocked`. */
  blocked(reason: string): void
  unblocked(): void
}

/** The client of one broker. */
export interface BrokerClient extends Pick<Output, 'publish'> {
  /** Begins to connect, and connects again whenever the connection was lost; does not wait for it. */
  start(): Promise<void>
  /** Closes the connection, within a second or two also where the broker does not answer. */
  stop(): Promise<void>
}

export interface OutputSpec<P extends WithUrl, O extends ServiceName> {
  readonly name: string
  readonly version: string
  /** Range of PLUGIN_API versions that it works with. */
  readonly api: string
  /** Its own settings. Certificates, `types`, `sessions`, `window` and `timeoutMs` are added. */
  readonly config: P
  /** The setting that holds the pattern of addresses: a subject, a topic, a routing key or a stream. */
  readonly pattern: keyof P & string
  /** Schemes of `url` that begin TLS: without one of them certificates would be of no use, and prevent the start. */
  readonly tlsSchemes?: readonly string[]
  readonly wants?: readonly O[]
  create(deps: OutputDeps<P, O>, connection: OutputConnection): BrokerClient
}

/**
 * Declares a plugin that publishes events to a broker: a durable consumer, which makes a dead letter of an event that the
 * broker has refused three times.
 *
 * @example
 * import { defineOutput } from 'wamux/outputs'
 *
 * export default defineOutput({
 *   name: 'output-acme', version: '1.0.0', api: '^1.0.0', pattern: 'queue',
 *   config: { url: T.String({ default: 'acme://127.0.0.1' }), queue: T.String({ default: '{session}' }) },
 *   create: ({ log }, connection) => ({
 *     start: async () => connection.connected(),
 *     stop: async () => undefined,
 *     publish: async ({ id, address }) => log.info({ id, address }, 'published'),
 *   }),
 * })
 */
export function defineOutput<const P extends WithUrl, O extends ServiceName = never>(
  spec: OutputSpec<P, O>,
): Plugin {
  const { name, version, api, tlsSchemes } = spec
  const { url, ...own } = spec.config
  const config = T.Object({ url, ...own, ...TLS, ...COMMON }) as unknown as TObject<
    P & typeof Shared.properties
  >

  function createOutput(deps: Kernel<OutputConfig<P>>) {
    const settings: SharedConfig = deps.config
    const connection = createConnection(settings.url, deps.log)
    const client = spec.create(deps as OutputDeps<P, O>, connection)
    const { types, sessions, window, timeoutMs } = settings
    const output: Output = {
      broker: connection.broker,
      types,
      sessions,
      pattern: String((settings as Readonly<Record<string, unknown>>)[spec.pattern]),
      window,
      timeoutMs,
      problem: () => connection.problem,
      publish: (message) => client.publish(message),
    }
    return {
      output,
      async start() {
        assertEncrypted(name, settings, tlsSchemes)
        await client.start()
      },
      async stop() {
        connection.lost()
        await client.stop()
      },
    }
  }

  return definePlugin({
    name,
    version,
    api,
    needs: ['outputs'],
    wants: spec.wants ?? [],
    config,
    services: () => ({
      broker: asFunction(createOutput)
        .singleton()
        .disposer((service) => service.stop()),
    }),
    contributes: { outputs: ({ broker }) => broker.output },
    consume: {
      deadLetter: { after: 3 },
      handle: (events, { outputs }) => outputs.publish(name, events),
    },
    setup: ({ broker }) => broker.start(),
  })
}

/** The certificates that are set, as Node's `tls.connect` takes them. */
export function certificates({ tlsCa, tlsCert, tlsKey }: Pick<SharedConfig, keyof typeof TLS>) {
  return { ...(tlsCa ? { ca: tlsCa } : {}), ...(tlsCert ? { cert: tlsCert, key: tlsKey } : {}) }
}

function createConnection(url: string, log: Kernel<unknown>['log']): OutputConnection {
  const broker = hostsOf(url)
  const isDown = `${broker} is not connected`
  let problem = isDown

  return {
    broker,
    get problem() {
      return problem
    },
    connected() {
      problem = ''
      log.info({ broker }, 'output connected')
    },
    lost(error) {
      if (error === undefined) {
        problem ||= isDown
        return
      }
      const reason = `${isDown}: ${reasonOf(error)}`
      if (reason !== problem) log.warn({ reason }, 'output not connected')
      problem = reason
    },
    blocked(reason) {
      problem = `${broker} accepts no messages: ${reason}`
      log.warn({ reason: problem }, 'output blocked')
    },
    unblocked() {
      problem = ''
    },
  }
}

/** An address without a scheme is a host. */
function hostsOf(url: string): string {
  const hosts = url.split(',').map((one) => one.trim())
  return hosts.map((one) => (/^\w+:\/\//.test(one) ? new URL(one).host : one)).join(',')
}

function assertEncrypted(
  name: string,
  { url, tlsCa, tlsCert }: SharedConfig,
  schemes: readonly string[] | undefined,
): void {
  if ((!tlsCa && !tlsCert) || !schemes || schemes.some((scheme) => url.startsWith(`${scheme}:`))) return
  const allowed = schemes.map((scheme) => `${scheme}://`).join(' or ')
  throw gatewayError('CONFIG_INVALID', [`${name}.url must begin with ${allowed} where certificates are set`])
}
