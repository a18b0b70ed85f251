import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { QUIET_MS } from './eventually.ts'

export interface ReceivedDelivery {
  path: string
  headers: Record<string, string>
  body: string
}

export interface Receiver {
  readonly url: string
  /** All received deliveries, oldest first. */
  readonly deliveries: readonly ReceivedDelivery[]
  /** The first delivery, past or future, that `matches`; rejects when no further one arrives for `ms`. */
  wait(matches: (delivery: ReceivedDelivery) => boolean, ms?: number): Promise<ReceivedDelivery>
  /** Resolves when that many have arrived; rejects when no further one arrives for `ms`. */
  count(wanted: number, ms?: number): Promise<void>
  /** Sets the answer from now on; the default is 200 to everything. */
  answer(respond: Respond): void
  close(): Promise<void>
}

export type ReceiverReply =
  | { status: number; headers?: Record<string, string>; body?: string }
  | 'hang'
  | 'reset'

/** Chooses the answer; a promise delays it. */
export type Respond = (delivery: ReceivedDelivery) => ReceiverReply | Promise<ReceiverReply>

/** A webhook receiver: a real HTTP server on a free port. */
export async function startReceiver(): Promise<Receiver> {
  const deliveries: ReceivedDelivery[] = []
  const waiting = new Set<() => void>()
  let respond: Respond = () => ({ status: 200 })
  const server = createServer((request, response) => {
    void readAll(request).then(async (body) => {
      const delivery = { path: request.url ?? '', headers: request.headers as Record<string, string>, body }
      const reply = respond(delivery)
      deliveries.push(delivery)
      for (const check of [...waiting]) check()
      const answer = await reply
      if (answer === 'hang') return
      if (answer === 'reset') request.socket.resetAndDestroy()
      else response.writeHead(answer.status, answer.headers).end(answer.body)
    })
  })
  function until<T>(find: () => T | undefined, ms: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        limit.refresh()
        const found = find()
        if (found === undefined) return
        clearTimeout(limit)
        waiting.delete(check)
        resolve(found)
      }
      const limit = setTimeout(() => {
        waiting.delete(check)
        const last = deliveries.slice(-3).map(({ body }) => `\n${body.slice(0, 500)}`)
        reject(
          new Error(`no further delivery for ${ms} ms; ${deliveries.length} came, the last:${last.join('')}`),
        )
      }, ms)
      waiting.add(check)
      check()
    })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    deliveries,
    answer(next) {
      respond = next
    },
    async count(wanted, ms = QUIET_MS) {
      await until(() => deliveries.length >= wanted || undefined, ms)
    },
    wait: (matches, ms = QUIET_MS) => until(() => deliveries.find(matches), ms),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
