import { createClient } from '@redis/client'
import { type BrokerClient, certificates, type OutputConnection } from 'wamux/outputs'
import { backoff } from 'wamux/plugin'
import type { RedisConfig } from './config.ts'

type Client = ReturnType<typeof clientOf>

const RECONNECT = { first: 100, most: 3_000 }
const PING_MS = 5_000

export function createRedis({ config }: { config: RedisConfig }, connection: OutputConnection): BrokerClient {
  const { maxLength } = config
  let client: Client | undefined
  const trim = {
    TRIM: { strategy: 'MAXLEN', strategyModifier: '~', threshold: maxLength },
  } as const

  return {
    async publish({ id, type, session, time, address, body }) {
      if (!client) throw new Error(connection.problem)
      await client.xAdd(address, '*', { id, type, session, time, body }, maxLength > 0 ? trim : {})
    },
    async start() {
      client = clientOf(config)
      client.on('ready', connection.connected)
      client.on('error', connection.lost)
      // The client retries until it is connected.
      void client.connect().catch(() => undefined)
    },
    async stop() {
      if (client?.isOpen) client.destroy()
    },
  }
}

function clientOf(config: RedisConfig) {
  return createClient({
    url: config.url,
    name: 'wamux',
    // Events that are unsent when the connection ends fail, and `outputs` publishes them again.
    disableOfflineQueue: true,
    pingInterval: PING_MS,
    socket: {
      reconnectStrategy: (tries) => backoff(RECONNECT, tries),
      ...(config.url.startsWith('rediss:') ? { tls: true, ...certificates(config) } : {}),
    },
  })
}
