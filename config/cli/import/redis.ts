import { commandFailed, reasonOf } from '../../errors.ts'

/** The Redis of another gateway, only read. */
export interface Redis {
  /** Names of keys that match a glob. */
  keys(pattern: string): Promise<string[]>
  hash(key: string): Promise<Record<string, string>>
  close(): Promise<void>
}

/** @param url `redis://[user:password@]host:port/[database]`, or `rediss://…`. */
export async function openRedis(url: string): Promise<Redis> {
  const { createClient } = await import('@redis/client').catch((cause: unknown): never => {
    throw commandFailed('reading Redis needs one more package: npm install @redis/client@6', cause)
  })
  const label = url.replace(/\/\/[^@/]*@/, '//')
  const client = createClient({ url, socket: { connectTimeout: 5_000, reconnectStrategy: false } })
  const failed = (cause: unknown): never => {
    throw commandFailed(`${label} can not be read: ${reasonOf(cause)}`, cause)
  }
  // Without a listener a connection error would end the process; calls also reject with it.
  client.on('error', () => undefined)
  await client.connect().catch(failed)
  return {
    async keys(pattern) {
      const found: string[] = []
      try {
        for await (const page of client.scanIterator({ MATCH: pattern, COUNT: 1_000 })) found.push(...page)
      } catch (cause) {
        failed(cause)
      }
      return [...new Set(found)].sort()
    },
    hash: async (key) => ({ ...(await client.hGetAll(key).catch(failed)) }),
    close: async () => client.destroy(),
  }
}
