import { createClient } from '@redis/client'

/** A database of its own on a Redis server. */
export interface OwnRedis {
  readonly url: string
  /** Writes a hash. */
  put(key: string, fields: Readonly<Record<string, string>>): Promise<void>
  close(): Promise<void>
}

/** The server that TEST_REDIS_URL names, or the one on this machine; undefined where none answers. Number 9 is emptied. */
export async function openTestRedis(): Promise<OwnRedis | undefined> {
  const url = new URL(process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379')
  url.pathname = '/9'
  const client = createClient({ url: url.href, socket: { connectTimeout: 1_000, reconnectStrategy: false } })
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch {
    return undefined
  }
  await client.flushDb()
  return {
    url: url.href,
    async put(key, fields) {
      await client.hSet(key, { ...fields })
    },
    async close() {
      await client.flushDb()
      client.destroy()
    },
  }
}
