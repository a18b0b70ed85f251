import { join } from 'node:path'
import { type Child, startChild } from './child.ts'
import type { FromGateway, ToGateway } from './webhook-gateway.ts'
import type { FromReceiver, ToReceiver } from './webhook-receiver.ts'

export interface WebhookOptions {
  /** Events a second, and for how many seconds. */
  rates: readonly number[]
  seconds: number
  /** Rows that wait when the gateway starts; 0 for none. */
  backlog: number
  folder: string
  print(line: string): void
}

const SESSIONS = 10
/** Of each session. */
const CHATS = 100

/** Events through the whole gateway (SQLite, synchronous FULL) to a receiver in its own process. */
export async function measureWebhooks(options: WebhookOptions): Promise<void> {
  options.print(`\nwebhooks: ${SESSIONS} sessions with ${CHATS} chats each, a receiver in its own process`)
  for (const rate of options.rates) await sustained(rate, options)
  if (options.backlog > 0) await drained(options)
}

/** A steady stream: what arrives, and how long after its commit. */
async function sustained(rate: number, { seconds, folder, print }: WebhookOptions): Promise<void> {
  const receiver = startChild<FromReceiver, ToReceiver>('webhook-receiver')
  const { url } = await receiver.heard('listening')
  const gateway = startChild<FromGateway, ToGateway>('webhook-gateway')
  gateway.send({ kind: 'start', dataDir: join(folder, `rate${rate}`), url, sessions: SESSIONS, chats: CHATS })
  await gateway.heard('ready')
  const began = Date.now()
  gateway.send({ kind: 'stream', rate, seconds })
  const { commits } = await gateway.heard('streamed')
  const generated = (Date.now() - began) / 1000
  receiver.send({ kind: 'count', wanted: commits.length })
  const { arrivals } = await receiver.heard('arrived')
  const took = (Date.now() - began) / 1000
  const waits = commits.map((at, key) => (arrivals[key] ?? Number.NaN) - at).sort((a, b) => a - b)
  const at = (share: number): string => `${(waits[Math.floor(waits.length * share)] ?? 0).toFixed(0)} ms`
  print(
    `${rate}/s asked: ${(commits.length / generated).toFixed(0)}/s committed, ${(commits.length / took).toFixed(0)}/s delivered, ` +
      `commit to POST p50 ${at(0.5)}, p99 ${at(0.99)}, ${await cost(gateway, commits.length)}`,
  )
  gateway.end()
  receiver.end()
}

/** A full table: how fast it empties, and in how much memory. */
async function drained({ backlog, folder, print }: WebhookOptions): Promise<void> {
  const receiver = startChild<FromReceiver, ToReceiver>('webhook-receiver')
  const { url } = await receiver.heard('listening')
  const order: ToGateway = {
    kind: 'start',
    dataDir: join(folder, 'backlog'),
    url,
    sessions: SESSIONS,
    chats: CHATS,
  }
  const filler = startChild<FromGateway, ToGateway>('webhook-gateway')
  filler.send(order)
  await filler.heard('ready')
  filler.send({ kind: 'fill', backlog })
  await filler.heard('filled')
  filler.end()
  const gateway = startChild<FromGateway, ToGateway>('webhook-gateway')
  const began = Date.now()
  gateway.send(order)
  receiver.send({ kind: 'count', wanted: backlog })
  await receiver.heard('arrived')
  const took = (Date.now() - began) / 1000
  print(
    `backlog of ${backlog}: ${took.toFixed(0)} s, ${(backlog / took).toFixed(0)}/s, ${await cost(gateway, backlog)}`,
  )
  gateway.end()
  receiver.end()
}

async function cost(gateway: Child<FromGateway, ToGateway>, events: number): Promise<string> {
  gateway.send({ kind: 'cost' })
  const { rss, cpu } = await gateway.heard('cost')
  return `${((cpu * 1000) / events).toFixed(2)} ms of processor each, highest RSS ${rss.toFixed(0)} MB`
}
