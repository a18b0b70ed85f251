import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Child, startChild } from '../child.ts'
import type { Bench } from '../part.ts'
import { cpuOf, settled } from '../proc.ts'
import type { Receiver } from '../processes/receiver.ts'
import type { WebhookGateway } from '../processes/webhook-gateway.ts'
import { medianOf } from '../table.ts'

const SESSIONS = 10
/** Of each session. */
const CHATS = 100
const STALL_AFTER_MS = 5000
const STALL_MS = 5000
/** A delivery that takes no longer is not late. */
const LATE_MS = 1000

interface Setup {
  bench: Bench
  receiver: Child<Receiver>
  gateway: Child<WebhookGateway>
  /** Starts a gateway on the same data in place of the one that runs. */
  replace(): Promise<Child<WebhookGateway>>
}

/** Events of about a kilobyte through the whole gateway to a receiver in its own process. */
export async function webhooks(bench: Bench): Promise<void> {
  for (let run = 1; run <= bench.runs; run += 1) {
    bench.print(`run ${run}`)
    for (const rate of [1000, 3100]) await withGateway(bench, (setup) => sustained(setup, rate))
  }
  // Filling the table takes minutes: once.
  await withGateway(bench, drained)
}

/** The same stream to a receiver that answers nothing for a while. */
export async function stall(bench: Bench): Promise<void> {
  for (let run = 1; run <= bench.runs; run += 1) await withGateway(bench, stalled)
}

async function sustained({ bench, gateway, receiver }: Setup, rate: number): Promise<void> {
  await settled(gateway.pid)
  const cpu = cpuOf(gateway.pid)
  const commits = await gateway.call.stream(rate, bench.sizes.webhooks.seconds)
  await receiver.call.reached(commits.length)
  await settled(gateway.pid)
  const waits = waitsOf(commits, await receiver.call.times()).sort((a, b) => a - b)
  bench.add(`webhooks.${rate}.p50`, 'wamux', medianOf(waits))
  bench.add(`webhooks.${rate}.p99`, 'wamux', waits[Math.floor(waits.length * 0.99)] ?? Number.NaN)
  bench.add(`webhooks.${rate}.cpu`, 'wamux', (cpuOf(gateway.pid) - cpu) / commits.length)
}

/** How long until deliveries are on time again, while the stream goes on. */
async function stalled({ bench, gateway, receiver }: Setup): Promise<void> {
  const stream = gateway.call.stream(3100, bench.sizes.webhooks.seconds + (STALL_AFTER_MS + STALL_MS) / 1000)
  await wait(STALL_AFTER_MS)
  await receiver.call.stall(STALL_MS)
  const resumed = Date.now()
  const commits = await stream
  await receiver.call.reached(commits.length)
  const times = await receiver.call.times()
  const waits = waitsOf(commits, times)
  const late = times.filter((_, key) => (waits[key] ?? 0) > LATE_MS)
  const last = late.reduce((latest, time) => Math.max(latest, time), resumed)
  bench.add('webhooks.stall', 'wamux', (last - resumed) / 1000)
}

/** A table full of waiting deliveries: how fast it empties, and in how much memory. */
async function drained({ bench, gateway, receiver, replace }: Setup): Promise<void> {
  const { table } = bench.sizes.webhooks
  await gateway.call.fill(table)
  const began = performance.now()
  const next = await replace()
  await receiver.call.reached(table)
  bench.add('webhooks.table.rate', 'wamux', (table * 1000) / (performance.now() - began))
  bench.add('webhooks.table.rss', 'wamux', await next.call.highestRss())
}

async function withGateway(bench: Bench, work: (setup: Setup) => Promise<void>): Promise<void> {
  const receiver = startChild<Receiver>('receiver')
  const order = {
    dataDir: mkdtempSync(join(bench.folder, 'webhooks-')),
    databaseUrl: await bench.database(),
    receiver: await receiver.call.url(),
    sessions: SESSIONS,
    chats: CHATS,
  }
  const start = async (): Promise<Child<WebhookGateway>> => {
    const child = startChild<WebhookGateway>('webhook-gateway')
    await child.call.start(order)
    return child
  }
  let gateway = await start()
  const replace = async (): Promise<Child<WebhookGateway>> => {
    await gateway.end()
    gateway = await start()
    return gateway
  }
  try {
    await work({ bench, receiver, gateway, replace })
  } finally {
    await gateway.end()
    await receiver.end()
  }
}

/** Milliseconds from the commit of each number to its arrival. */
function waitsOf(commits: readonly number[], times: readonly number[]): number[] {
  return commits.map((at, key) => (times[key] ?? Number.NaN) - at)
}
