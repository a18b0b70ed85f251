/**
 * `npm run soak`: 200 sessions that send 20 texts and receive 50 a second for 30 minutes. Prints the lowest memory of each minute
 * and how fast the heap grows after the first ten minutes; `--write` puts the figures into BENCHMARKS.md.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Session } from './candidates/candidate.ts'
import { startWamux } from './candidates/wamux.ts'
import { startChild } from './child.ts'
import { cpuOf, loadOfMachine } from './proc.ts'
import type { Client } from './processes/client.ts'
import type { Network } from './processes/network.ts'
import { writeSoak } from './report.ts'
import { slopeOf } from './slope.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    sessions: { type: 'string', default: '200' },
    sends: { type: 'string', default: '20' },
    receives: { type: 'string', default: '50' },
    write: { type: 'boolean', default: false },
  },
})
const [minutes, count, sends, receives] = [
  values.minutes,
  values.sessions,
  values.sends,
  values.receives,
].map(Number) as [number, number, number, number]
/** The first part of the time, in which caches fill. */
const WARM = Math.min(10, minutes / 3)
const PEERS = 10
/** Of each minute. What is under way comes on top of what is kept: 2 MB that change from sample to sample. */
const SAMPLES = 10
const SAMPLE_MS = 2_000
/** Before the end of the minute: with the collections, all samples come within it. Without traffic the heap is another. */
const SAMPLING_MS = 30_000

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const folder = mkdtempSync(join(tmpdir(), 'wamux-soak-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const network = startChild<Network>('network')
const client = startChild<Client>('client')
const gateway = await startWamux({
  network,
  card: await network.call.card(),
  folder,
  profiles: undefined,
  database: async () => undefined,
})
const sessions: Session[] = []
for (let i = 0; i < count; i += 1) {
  sessions.push(await gateway.link(true))
  if (sessions.length % 20 === 0) print(`${sessions.length} of ${count} sessions linked`)
}
const peers: string[] = []
for (let i = 0; i < PEERS; i += 1) peers.push(await network.call.phone())

const texts = sessions.map((session, i) => gateway.text(session, `${peers[i % PEERS]}@s.whatsapp.net`))
const phones = sessions.map(({ phone }) => phone)
const samples: { minute: number; heap: number; rss: number }[] = []
const seconds = minutes * 60
const cpu = cpuOf(gateway.pid)
const load = loadOfMachine()
const traffic = Promise.all([
  client.call.stream(texts, sends, seconds),
  network.call.stream(peers, phones, receives, seconds),
])
const began = performance.now()
for (let minute = 1; minute <= minutes; minute += 1) {
  await wait(Math.max(0, began + minute * 60_000 - SAMPLING_MS - performance.now()))
  const { heap, rss } = await atRest()
  samples.push({ minute, heap, rss })
  print(`${minute} min: heap ${heap.toFixed(1)} MB, RSS ${rss.toFixed(0)} MB`)
}
const [refusals] = await traffic
await gateway.reached(receives * seconds)
const used = (cpuOf(gateway.pid) - cpu) / seconds / 10
const settled = samples.filter(({ minute }) => minute > WARM)
const growth = slopeOf(settled.map(({ minute, heap }) => [minute / 60, heap]))
await gateway.end()
await client.end()
await network.end()

async function atRest(): Promise<{ heap: number; rss: number }> {
  const taken: { heap: number; rss: number }[] = []
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    await wait(SAMPLE_MS)
    taken.push(await gateway.memory())
  }
  return taken.reduce((lowest, one) => (one.heap < lowest.heap ? one : lowest))
}

const last = samples.at(-1)
const result = {
  minutes,
  sessions: count,
  sends,
  receives,
  failed: refusals.length,
  cpu: Number(used.toFixed(1)),
  heap: Number(last?.heap.toFixed(1)),
  rss: Number(last?.rss.toFixed(0)),
  growth: Number(growth.toFixed(2)),
  load,
}
print(JSON.stringify(result, undefined, 2))
if (values.write) writeSoak(result)
process.exit(refusals.length === 0 && growth < 1 ? 0 : 1)
