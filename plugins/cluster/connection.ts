import { createSerialQueue, gatewayError, type Kernel, reasonOf } from 'wamux/plugin'

/** The plugin's own connection: it can listen, and renews leases however many queries wait for the pool. */
export interface ClusterConnection {
  /** Rejects when the server does not answer in time; the next query opens a new connection. */
  query(text: string, values?: readonly unknown[]): Promise<ResultRow[]>
  /**
   * Wakes all nodes, including this one, by topics; without topics, the nodes that look for sessions. Nothing depends on its
   * arrival.
   */
  notify(topics?: readonly string[]): Promise<void>
  close(): Promise<void>
}

export type ResultRow = Readonly<Record<string, unknown>>

/** The part of a pg client that is used here. */
interface Client {
  query(
    query: string | { text: string; values: unknown[]; query_timeout: number },
  ): Promise<{ rows: ResultRow[] }>
  on(event: 'notification', listener: (message: { payload?: string }) => void): unknown
  on(event: 'error' | 'end', listener: () => void): unknown
  end(): Promise<void>
}

interface ConnectionParts extends Pick<Kernel<unknown>, 'db' | 'log'> {
  timeoutMs: number
  /** @param topics none for a node that looks for sessions; undefined if notifications may have been lost. */
  onNotify(topics: readonly string[] | undefined): void
}

/** One per schema, like the tables; a name has at most 63 characters. */
const CHANNEL = "left('wamux_' || current_schema(), 63)"

/** The server accepts fewer than 8,000 bytes. */
const MAX_PAYLOAD = 7_900

export function createConnection({ db, log, timeoutMs, onNotify }: ConnectionParts): ClusterConnection {
  const queue = createSerialQueue()
  let client: Client | undefined

  async function open(): Promise<Client> {
    // With the pool's settings, but outside the pool, which would lend it to others.
    const opened = (await db.direct.client.acquireRawConnection()) as Client
    const gone = (): void => {
      if (client === opened) client = undefined
    }
    opened.on('error', gone)
    opened.on('end', gone)
    opened.on('notification', ({ payload = '' }) => onNotify(payload ? payload.split('\n') : []))
    try {
      const { rows } = await opened.query(`SELECT ${CHANNEL} AS channel`)
      await opened.query(`LISTEN "${String(rows[0]?.['channel'])}"`)
    } catch (error) {
      void opened.end().catch(() => undefined)
      throw error
    }
    onNotify(undefined)
    return opened
  }

  async function run(text: string, values: readonly unknown[]): Promise<ResultRow[]> {
    try {
      client ??= await open()
      return (await client.query({ text, values: [...values], query_timeout: timeoutMs })).rows
    } catch (error) {
      log.debug({ reason: reasonOf(error) }, 'cluster query failed')
      // It may be dead, since its state is unknown.
      void client?.end().catch(() => undefined)
      client = undefined
      throw gatewayError('STORAGE_UNAVAILABLE', [], { cause: error })
    }
  }

  return {
    query: (text, values = []) => queue.run(() => run(text, values)),
    async notify(topics = ['']) {
      for (const payload of payloadsOf(topics))
        await queue.run(() => run(`SELECT pg_notify(${CHANNEL}, $1)`, [payload]))
    },
    async close() {
      const last = client
      client = undefined
      await last?.end().catch(() => undefined)
    },
  }
}

function payloadsOf(topics: readonly string[]): string[] {
  const payloads: string[] = []
  for (const topic of topics) {
    const joined = payloads.length > 0 ? `${payloads.at(-1)}\n${topic}` : topic
    if (payloads.length > 0 && Buffer.byteLength(joined) <= MAX_PAYLOAD)
      payloads[payloads.length - 1] = joined
    else payloads.push(topic)
  }
  return payloads
}
