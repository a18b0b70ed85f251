import { type Static, Type as T } from 'typebox'

const PluginEntry = T.Union([
  T.Boolean({ description: '`false` switches it off, `true` switches it on with its defaults' }),
  T.Object(
    {
      config: T.Optional(T.Record(T.String(), T.Unknown(), { description: "The plugin's own settings" })),
      optional: T.Optional(T.Boolean({ description: 'Start without it if it fails' })),
    },
    { additionalProperties: false },
  ),
])

/** The configuration file. Every key can also be set in the environment: see `ENVIRONMENT`. */
export const ConfigSchema = T.Object(
  {
    host: T.String({ default: '127.0.0.1', description: 'Address to listen on; 0.0.0.0 for all' }),
    port: T.Integer({ default: 8080, minimum: 0, maximum: 65535, description: 'Port; 0 for a free one' }),
    dataDir: T.String({
      default: './data',
      minLength: 1,
      description: 'Folder of the database, keys and the admin token',
    }),
    databaseUrl: T.Optional(
      T.String({ pattern: '^postgres(ql)?://', description: 'PostgreSQL; without it SQLite in dataDir' }),
    ),
    databaseDirectUrl: T.Optional(
      T.String({
        pattern: '^postgres(ql)?://',
        description:
          'The same database, bypassing a pooler: required if `databaseUrl` points to PgBouncer in transaction mode, because the lock and notifications need persistent connections',
      }),
    ),
    adminToken: T.Optional(
      T.String({ minLength: 32, description: 'Admin token; generated at the first start when absent' }),
    ),
    allowWeakTokens: T.Boolean({
      default: true,
      description: 'Accept session tokens shorter than 16 characters, with a warning; false refuses them',
    }),
    trustProxy: T.Integer({
      default: 0,
      minimum: 0,
      maximum: 10,
      description:
        'Number of reverse proxies in front of the gateway, whose X-Forwarded-For gives the address of the client; 0 trusts none',
    }),
    keys: T.Optional(
      T.String({
        description:
          'Master keys under which all secrets are encrypted, active one first: `k2:<base64 of 32 bytes>,k1:…`; generated at the first start when absent',
      }),
    ),
    logLevel: T.Enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      default: 'info',
      description: 'Lowest level that is logged',
    }),
    logFormat: T.Enum(['auto', 'json', 'text'], {
      default: 'auto',
      description:
        'Form of the log: `json`, one object a line; `text`, lines for people; `auto`, text where standard output is a terminal, JSON in a pipe',
    }),
    allowPrivateHosts: T.Array(T.String(), {
      default: [],
      description: 'CIDRs or hosts on private addresses that webhooks and media URLs may reach',
    }),
    corsOrigins: T.Array(T.String({ pattern: '^(\\*|[a-z][a-z0-9+.-]*://[^/\\sA-Z]+)$' }), {
      default: [],
      description:
        'Origins of pages that may call from browsers, for example https://app.example.com, or * for all; none by default',
    }),
    bodyLimit: T.Integer({
      default: 67108864,
      minimum: 1024,
      description: 'Bytes of the largest request body',
    }),
    maxStreams: T.Integer({
      default: 1000,
      minimum: 0,
      description:
        'Open streams of the gateway: server-sent events, WebSockets and requests that wait for events; further ones are answered with 429',
    }),
    maxStreamsPerSession: T.Integer({
      default: 50,
      minimum: 0,
      description: 'Open streams of one session, counted among `maxStreams`',
    }),
    maxStreamsPerKey: T.Integer({
      default: 20,
      minimum: 0,
      description:
        'Open streams of one key, of the admin, or of one link to link an account, counted among `maxStreams`',
    }),
    strictBodies: T.Boolean({
      default: false,
      description:
        'Refuse unknown fields and query parameters on every route; otherwise the routes for existing clients ignore them and list them in X-Ignored-Fields',
    }),
    watchdogMs: T.Integer({
      default: 1000,
      minimum: 0,
      description:
        'Milliseconds for which the event loop may be blocked before a thread logs the cause; 0 disables this thread (it uses about 10 MB)',
    }),
    retentionDays: T.Number({
      default: 14,
      exclusiveMinimum: 0,
      description: 'Days that events are kept in the log',
    }),
    profile: T.Enum(['minimal', 'standard', 'all'], {
      default: 'standard',
      description:
        'Enabled built-in plugins: `minimal` for sending and webhooks, `standard` for everything on real accounts, `all` also with pacing, which slows down sends, and the sandbox, which replaces WhatsApp',
    }),
    plugins: T.Optional(
      T.Record(T.String(), PluginEntry, {
        description:
          'Plugins to switch on or off on top of `profile`, by name, package or path. In the variable: `pacing,-labels,@acme/crm`, which overrides the file',
      }),
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof ConfigSchema>

/** Environment variable of each key; with the suffix `_FILE` it names a file that contains the value. */
export const ENVIRONMENT: Readonly<Record<string, keyof Config>> = {
  WAMUX_HOST: 'host',
  WAMUX_PORT: 'port',
  WAMUX_DATA_DIR: 'dataDir',
  DATABASE_URL: 'databaseUrl',
  DATABASE_DIRECT_URL: 'databaseDirectUrl',
  WAMUX_ADMIN_TOKEN: 'adminToken',
  WAMUX_ALLOW_WEAK_TOKENS: 'allowWeakTokens',
  WAMUX_TRUST_PROXY: 'trustProxy',
  WAMUX_KEYS: 'keys',
  LOG_LEVEL: 'logLevel',
  LOG_FORMAT: 'logFormat',
  WAMUX_ALLOW_PRIVATE_HOSTS: 'allowPrivateHosts',
  WAMUX_CORS_ORIGINS: 'corsOrigins',
  WAMUX_BODY_LIMIT: 'bodyLimit',
  WAMUX_MAX_STREAMS: 'maxStreams',
  WAMUX_MAX_STREAMS_PER_SESSION: 'maxStreamsPerSession',
  WAMUX_MAX_STREAMS_PER_KEY: 'maxStreamsPerKey',
  WAMUX_STRICT_BODIES: 'strictBodies',
  WAMUX_WATCHDOG_MS: 'watchdogMs',
  WAMUX_RETENTION_DAYS: 'retentionDays',
  WAMUX_PROFILE: 'profile',
  WAMUX_PLUGINS: 'plugins',
}
