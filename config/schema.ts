import { type Static, Type as T } from 'typebox'

const PluginEntry = T.Union([
  T.Boolean({ description: '`false` switches it off, `true` takes its defaults' }),
  T.Object(
    {
      config: T.Optional(T.Record(T.String(), T.Unknown(), { description: "The plugin's own settings" })),
      optional: T.Optional(T.Boolean({ description: 'Start without it if it fails' })),
    },
    { additionalProperties: false },
  ),
])

/** The configuration file. Every key but `plugins` can come from the environment instead: see `ENVIRONMENT`. */
export const ConfigSchema = T.Object(
  {
    host: T.String({ default: '127.0.0.1', description: 'Address to listen on; 0.0.0.0 for all' }),
    port: T.Integer({ default: 8080, minimum: 0, maximum: 65535, description: 'Port; 0 takes a free one' }),
    dataDir: T.String({
      default: './data',
      minLength: 1,
      description: 'Folder of the database, keys and the admin token',
    }),
    databaseUrl: T.Optional(
      T.String({ pattern: '^postgres(ql)?://', description: 'PostgreSQL; without it SQLite in dataDir' }),
    ),
    adminToken: T.Optional(
      T.String({ minLength: 32, description: 'Admin token; made at first start when absent' }),
    ),
    allowWeakTokens: T.Boolean({
      default: true,
      description: 'Take session tokens of fewer than 16 characters, with a warning; false refuses them',
    }),
    trustProxy: T.Integer({
      default: 0,
      minimum: 0,
      maximum: 10,
      description:
        'Reverse proxies in front of the gateway, whose X-Forwarded-For tells where a call comes from; 0 believes none',
    }),
    keys: T.Optional(
      T.String({
        description:
          'Master keys that everything secret is encrypted under, active one first: `k2:<base64 of 32 bytes>,k1:…`; made at first start when absent',
      }),
    ),
    logLevel: T.Enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      default: 'info',
      description: 'Least important line to log',
    }),
    allowPrivateHosts: T.Array(T.String(), {
      default: [],
      description: 'CIDRs or hosts on private addresses that webhooks and media URLs may reach',
    }),
    corsOrigins: T.Array(T.String({ pattern: '^(\\*|[a-z][a-z0-9+.-]*://[^/\\sA-Z]+)$' }), {
      default: [],
      description:
        'Origins of pages that may call from browsers, such as https://app.example.com, or * for all; none by default',
    }),
    bodyLimit: T.Integer({
      default: 67108864,
      minimum: 1024,
      description: 'Bytes of the largest request body',
    }),
    strictBodies: T.Boolean({
      default: false,
      description:
        'Refuse bodies with unknown fields, which are ignored otherwise and named in X-Ignored-Fields',
    }),
    retentionDays: T.Number({
      default: 14,
      exclusiveMinimum: 0,
      description: 'Days that the event log goes back',
    }),
    profile: T.Enum(['minimal', 'standard', 'all'], {
      default: 'standard',
      description:
        'Built-in plugins that are on: `minimal` sends and delivers, `standard` is everything for real accounts, `all` is also pacing, which makes sends slow, and the sandbox, which takes the place of WhatsApp',
    }),
    plugins: T.Optional(
      T.Record(T.String(), PluginEntry, {
        description: 'Name, package or path of single plugins to switch on or off, on top of `profile`',
      }),
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof ConfigSchema>

/** Environment variable of each key; a name with `_FILE` behind it reads the value from that file. */
export const ENVIRONMENT: Readonly<Record<string, keyof Config>> = {
  WAMUX_HOST: 'host',
  WAMUX_PORT: 'port',
  WAMUX_DATA_DIR: 'dataDir',
  DATABASE_URL: 'databaseUrl',
  WAMUX_ADMIN_TOKEN: 'adminToken',
  WAMUX_ALLOW_WEAK_TOKENS: 'allowWeakTokens',
  WAMUX_TRUST_PROXY: 'trustProxy',
  WAMUX_KEYS: 'keys',
  LOG_LEVEL: 'logLevel',
  WAMUX_ALLOW_PRIVATE_HOSTS: 'allowPrivateHosts',
  WAMUX_CORS_ORIGINS: 'corsOrigins',
  WAMUX_BODY_LIMIT: 'bodyLimit',
  WAMUX_STRICT_BODIES: 'strictBodies',
  WAMUX_RETENTION_DAYS: 'retentionDays',
  WAMUX_PROFILE: 'profile',
}
