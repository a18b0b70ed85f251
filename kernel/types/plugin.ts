import type { Resolver } from 'awilix'
import type { Static, TSchema } from 'typebox'
import type { ErrorCode } from '../errors.ts'
import type { Consumer, ConsumerControl } from './consumers.ts'
import type { Driver, Log } from './driver.ts'
import type { ErrorRow } from './errors.ts'
import type {
  EventDeclaration,
  Events,
  GatewayEvents,
  GatewaySignals,
  LogEvent,
  Recording,
  Signal,
} from './events.ts'
import type { HealthCheck, Metric, Statistics } from './observe.ts'
import type { Ownership, Sharing } from './ownership.ts'
import type { Peers } from './peers.ts'
import type {
  Caller,
  CallerRequest,
  Credentials,
  Login,
  Route,
  RouteBuilder,
  RouteCall,
  Scope,
} from './route.ts'
import type { Sessions } from './session.ts'
import type { Migration, PluginDb, Vault } from './storage.ts'

/** Services that plugins provide to each other, by name. Grows by declaration merging. */
export interface GatewayServices {
  /** The one connection to the messaging network; exactly one enabled plugin provides it. */
  driver: Driver
  /**
   * Which sessions this process serves; without a provider it must be alone on its database. Names in parentheses denote
   * cluster-wide tasks.
   */
  ownership: Ownership
}

/**
 * Contributions of plugins to contracts that others collect: hooks, jobs, stores, pages. Grows by declaration merging.
 *
 * @example declare module 'wamux/plugin' { interface GatewayContributions { exchange: (currency: string) => number } }
 */
export interface GatewayContributions {
  /**
   * Recognizes credentials that are neither the admin token nor a session's: keys, signed tokens, client certificates.
   * Resolves undefined for unknown ones. The caller must have the route's scope (`route.spec.scope`, always set here).
   */
  authenticate: (credentials: Credentials, route: Route) => Promise<Caller | undefined>
  /**
   * Finds the login of a request without a token, for example by a cookie; the login's token is then checked as if the
   * request had it. Resolves undefined for other requests.
   */
  login: (credentials: Credentials, route: Route) => Promise<Login | undefined>
  /**
   * Runs around every route of the gateway, including the routes of other plugins, from before the caller is known until the
   * answer is. `next` runs the call and resolves with its result, which is replaced by the outcome of this hook. The first
   * plugin in the order is outermost.
   */
  around: (call: RouteCall, next: () => Promise<unknown>) => Promise<unknown>
  /**
   * Rejects a call that is not allowed, by anybody's credentials: called with the checked body, after the caller's own `permit`
   * and before the handler.
   */
  permit: (request: CallerRequest) => Promise<void>
  /**
   * The address of the page about an error: a path of the gateway or a URL. Answers carry it in the header `Link` with
   * `rel="help"`, the log in `help`. The first plugin that knows one decides.
   */
  errorHelp: (code: ErrorCode) => string | undefined
  /** By name, for example `crm_calls_total`. The plugin keeps its own counter, which `collect` reads. */
  metrics: Readonly<Record<string, Metric>>
  /** By name, for example `crm`. The gateway is ready while all checks pass. */
  healthChecks: Readonly<Record<string, HealthCheck>>
}

export type ContractName = keyof GatewayContributions & string

/** The contributions of one plugin. */
export interface Contribution<K extends ContractName = ContractName> {
  readonly plugin: string
  readonly value: GatewayContributions[K]
}

/** What the kernel provides to every plugin. */
export interface Kernel<C> {
  readonly config: Readonly<C>
  readonly log: Log
  readonly db: PluginDb
  readonly vault: Vault
  readonly events: Events
  readonly consumers: ConsumerControl
  readonly sessions: Sessions
  /** Wake-ups between the processes that share the database. */
  readonly peers: Peers
  /** The kernel's own settings that plugins may need. */
  readonly settings: Settings
  /** All enabled plugins with their routes, events and state. */
  describe(): Description
  statistics(): Statistics
  /** The contributions of the running plugins to a contract, in the order of their hooks. Empty until all have started. */
  contributions<K extends ContractName>(contract: K): readonly Contribution<K>[]
  /** Owns a promise that is not awaited elsewhere: a failure is logged, and stopping waits for it. */
  background(work: Promise<unknown>, what: string): void
}

export interface Settings {
  readonly version: string
  readonly dataDir: string
  readonly allowPrivateHosts: readonly string[]
}

/** A plugin's setting as shown to operators. */
export interface SettingView {
  readonly name: string
  readonly description: string
  /** JSON; '' without one. */
  readonly default: string
  /** JSON; '' if it is hidden, because it differs from the default and may be a secret. */
  readonly value: string
  readonly isChanged: boolean
}

export interface Description {
  readonly version: string
  /** All errors that a call can return, by code. */
  readonly errors: Readonly<Record<string, ErrorRow>>
  readonly plugins: readonly {
    readonly name: string
    readonly version: string
    readonly state: 'ready' | 'failed' | 'described'
    readonly error?: string
    /** Number of signals whose translation failed since the start; the log has the event `Unreadable` of each. */
    readonly translatorFailures?: number
    readonly settings: readonly SettingView[]
    /** Services that it provides to others. */
    readonly provides: readonly string[]
    readonly needs: readonly string[]
    /** Services that it provides in place of another plugin. */
    readonly overrides: readonly string[]
    readonly decorates: readonly string[]
    readonly contributes: readonly string[]
    readonly collects: readonly string[]
    readonly events: Readonly<Record<string, EventDeclaration>>
    readonly routes: readonly Route[]
  }[]
}

export type ServiceResolvers = Record<string, Resolver<unknown>>

type Resolved<S extends ServiceResolvers> = { [K in keyof S]: S[K] extends Resolver<infer T> ? T : never }

export type ServiceName = keyof GatewayServices & string

export type Cradle<
  C extends TSchema,
  N extends ServiceName,
  O extends ServiceName,
  S extends ServiceResolvers,
> = Kernel<Static<C>> & Pick<GatewayServices, N> & { [K in O]?: GatewayServices[K] | undefined } & Resolved<S>

export interface PluginSpec<
  C extends TSchema,
  N extends ServiceName,
  O extends ServiceName,
  S extends ServiceResolvers,
> {
  name: string
  version: string
  /** Range of PLUGIN_API versions that it works with, e.g. `^1.0.0`. */
  api: string
  config?: C
  /** Services that it requires; they also determine the start order. */
  needs?: readonly N[]
  /** Services that it uses if they are available. */
  wants?: readonly O[]
  provides?: readonly (keyof S & ServiceName)[]
  /** For the plugin that provides `ownership`: how its processes share the database, which is opened before it starts. */
  shares?: (config: Readonly<Static<C>>) => Sharing
  /** The members of `provides` that replace another plugin's service; only one plugin may override a service. */
  overrides?: readonly (keyof S & ServiceName)[]
  /**
   * Wraps services of other plugins: `next` is the original service, which the returned one replaces for everyone. The first
   * plugin in the order is outermost.
   */
  decorates?: {
    readonly [K in ServiceName]?: (next: GatewayServices[K], deps: Cradle<C, N, O, S>) => GatewayServices[K]
  }
  /** Its values for contracts that other plugins collect; created once all plugins have started. */
  contributes?: { readonly [K in ContractName]?: (deps: Cradle<C, N, O, S>) => GatewayContributions[K] }
  /** The contracts that it collects, with `contributions`. */
  collects?: readonly ContractName[]
  /**
   * Its position among the plugins whose contributions and decorators combine: before and after the plugins named here,
   * which need not be enabled. Without it the plugin that started first comes first.
   */
  order?: { readonly before?: readonly string[]; readonly after?: readonly string[] }
  migrations?: Record<string, Migration>
  /** Its errors by code, for `gatewayError`; codes of the kernel or another plugin are refused. */
  errors?: Readonly<Record<string, ErrorRow>>
  /** Names of fields with secret or private values, which the log redacts; case does not matter. */
  redact?: readonly string[]
  /**
   * Its services. One that must be closed has a disposer, `asFunction(create).singleton().disposer((made) => made.stop())`:
   * at the stop the disposers run one after the other, in reverse order of creation, for at most 5 s in all.
   */
  services?: (kernel: Kernel<Static<C>>) => S
  /** Settings may decide about a route, for example who may call it. */
  routes?: (route: RouteBuilder<Cradle<C, N, O, S>>, config: Readonly<Static<C>>) => readonly Route[]
  /** Scope of its routes that are not GET; `manage` when absent. */
  scope?: Scope
  /** The event types that this plugin logs. */
  events?: { readonly [E in keyof GatewayEvents]?: EventDeclaration }
  /** Translates signals to log lines. Keep it pure: it runs again when a commit is repeated. */
  translate?: {
    [K in keyof GatewaySignals]?: (
      signal: Signal<K>,
      deps: Cradle<C, N, O, S>,
    ) => Recording | undefined | Promise<Recording | undefined>
  }
  /**
   * The class of the event `Unreadable` that is logged where its translator of a signal fails, or the driver can't read what
   * would be the signal: that of the events which are missing. `All` without one.
   */
  unreadable?: { readonly [K in keyof GatewaySignals]?: string }
  /** Runs after the commit, in order per session; not durable. */
  on?: {
    [E in keyof GatewayEvents]?: (
      event: LogEvent & { readonly body: GatewayEvents[E] },
      deps: Cradle<C, N, O, S>,
    ) => void | Promise<void>
  }
  consume?: Consumer<Cradle<C, N, O, S>>
  setup?: (deps: Cradle<C, N, O, S>) => Promise<void>
  /** Runs once all plugins have started, before requests are served; `contributions` is then complete. */
  ready?: (deps: Cradle<C, N, O, S>) => Promise<void>
}

export interface Plugin {
  readonly $type: 'wamux/plugin'
  readonly v: 1
  // Every plugin has different services; the kernel only reads the fields by name.
  // biome-ignore lint/suspicious/noExplicitAny: the one erased type of the contract
  readonly spec: PluginSpec<any, any, any, any>
}
