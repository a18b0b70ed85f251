import { type GatewayContributions, gatewayError, type Kernel, reasonOf } from 'wamux/plugin'
import type { RedisConfig } from './config.ts'

type Output = GatewayContributions['outputs']
type Client = Awaited<ReturnType<typeof open>>

export interface RedisOutput extends Output {
  /** Connects, and again whenever the connection was lost. */
  start(): Promise<void>
  stop(): Promise<void>
}

const MAX_RETRY_MS = 3_000
const PING_MS = 5_000

export function createRedis({ config, log }: Pick<Kernel<RedisConfig>, 'config' | 'log'>): RedisOutput {
  const { stream: pattern, maxLength, types, sessions, window, timeoutMs } = config
  const broker = new URL(config.url).host
  const isDown = `${broker} is not connected`
  let client: Client | undefined
  let problem = isDown
  const trim = {
    TRIM: { strategy: 'MAXLEN', strategyModifier: '~', threshold: maxLength },
  } as const

  return {
    ...{ broker, types, sessions, pattern, window, timeoutMs },
    problem: () => problem,
    async publish({ id, type, session, time, address, body }) {
      if (!client) throw new Error(problem)
      await client.xAdd(address, '*', { id, type, session, time, body }, maxLength > 0 ? trim : {})
    },
    async start() {
      assertEncrypted(config)
      client = await open(config)
      client.on('ready', () => {
        problem = ''
        log.info({ broker }, 'output connected')
      })
      client.on('error', (error: unknown) => {
        const reason = `${isDown}: ${reasonOf(error)}`
        if (reason !== problem) log.warn({ reason }, 'output not connected')
        problem = reason
      })
      // Goes on until it is connected.
      void client.connect().catch(() => undefined)
    },
    async stop() {
      problem = isDown
      if (client?.isOpen) client.destroy()
    },
  }
}

/** Certificates are of no use without TLS, which the scheme of the address begins. */
function assertEncrypted({ url, tlsCa, tlsCert }: RedisConfig): void {
  if ((tlsCa || tlsCert) && !url.startsWith('rediss:'))
    throw gatewayError('CONFIG_INVALID', [
      'output-redis.url must begin with rediss:// where certificates are set',
    ])
}

/** Loaded where this output is on. */
async function open({ url, tlsCa, tlsCert, tlsKey }: RedisConfig) {
  const { createClient } = await import('@redis/client')
  const tls = { ...(tlsCa ? { ca: tlsCa } : {}), ...(tlsCert ? { cert: tlsCert, key: tlsKey } : {}) }
  return createClient({
    url,
    name: 'wamux',
    // What is not sent yet when the connection ends fails, and is published again.
    disableOfflineQueue: true,
    pingInterval: PING_MS,
    socket: {
      reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, MAX_RETRY_MS),
      ...(url.startsWith('rediss:') ? { tls: true, ...tls } : {}),
    },
  })
}
