import { createSerialQueue, gatewayError, type Kernel, reasonOf } from 'wamux/plugin'

/** A connection of the plugin's own: leases are renewed however many queries wait for the pool, and it can listen. */
export interface Connection {
  /** Rejects when the server does not answer in time; the next query opens a new connection. */
  query(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** Wakes the nodes, this one included, by topics; without any, those that look for sessions. Nothing depends on its arrival. */
  notify(topics?: readonly string[]): Promise<void>
  close(): Promise<void>
}

export type Row = Readonly<Record<string, unknown>>

/** What is used of a client of pg. */
interface Client {
  query(query: string | { text: string; values: unknown[]; query_timeout: number }): Promise<{ rows: Row[] }>
  on(event: 'notification', listener: (message: { payload?: string }) => void): unknown
  on(event: 'error' | 'end', listener: () => void): unknown
  end(): Promise<void>
}

export interface ConnectionParts extends Pick<Kernel<unknown>, 'db' | 'log'> {
  timeoutMs: number
  /** @param topics none for a node that looks for sessions; undefined where notifications may have been lost. */
  onNotify(topics: readonly string[] | undefined): void
}

/** One for each schema, as the tables are; its name has at most 63 characters. */
const CHANNEL = "left('wamux_' || current_schema(), 63)"

/** The server takes less than 8,000 bytes. */
const MAX_PAYLOAD = 7_900

export function createConnection({ db, log, timeoutMs, onNotify }: ConnectionParts): Connection {
  const queue = createSerialQueue()
  let client: Client | undefined

  async function open(): Promise<Client> {
    // With the pool's settings, but outside of the pool, which would lend it to others.
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

  async function run(text: string, values: readonly unknown[]): Promise<Row[]> {
    try {
      client ??= await open()
      return (await client.query({ text, values: [...values], query_timeout: timeoutMs })).rows
    } catch (error) {
      log.debug({ reason: reasonOf(error) }, 'cluster query failed')
      // It may be dead: nothing is known of it.
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
