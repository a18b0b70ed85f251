/**
 * `node --conditions=wamux:source --import tsx test/bench/webhook.ts`: events through the whole gateway (SQLite,
 * synchronous FULL) to a receiver in its own process. `--seconds 20` for each rate, `--rates 1000,3000` a second,
 * `--backlog 100000` rows that wait when the gateway starts; `--sessions 10`, each with `--chats 100`.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { FromGateway, ToGateway } from './webhook-gateway.ts'
import type { FromReceiver } from './webhook-receiver.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    rates: { type: 'string', default: '1000,3000' },
    backlog: { type: 'string', default: '100000' },
    sessions: { type: 'string', default: '10' },
    chats: { type: 'string', default: '100' },
  },
})
const seconds = Number(values.seconds)
const sessions = Number(values.sessions)
const chats = Number(values.chats)

const folder = mkdtempSync(join(tmpdir(), 'wamux-bench-'))
try {
  for (const rate of values.rates.split(',').map(Number).filter(Boolean)) await sustained(rate)
  if (Number(values.backlog) > 0) await drained(Number(values.backlog))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** A steady stream: what arrives, and how long after its commit. */
async function sustained(rate: number): Promise<void> {
  const receiver = child<FromReceiver, never>('webhook-receiver.ts')
  const { url } = await receiver.heard('listening')
  const gateway = child<FromGateway, ToGateway>('webhook-gateway.ts')
  gateway.send({ kind: 'start', dataDir: join(folder, `rate${rate}`), url, sessions, chats })
  await gateway.heard('ready')
  const began = Date.now()
  gateway.send({ kind: 'stream', rate, seconds })
  const { commits } = await gateway.heard('streamed')
  const generated = (Date.now() - began) / 1000
  const arrivals = await receiver.count(commits.length)
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
async function drained(backlog: number): Promise<void> {
  const receiver = child<FromReceiver, never>('webhook-receiver.ts')
  const { url } = await receiver.heard('listening')
  const order: ToGateway = { kind: 'start', dataDir: join(folder, 'backlog'), url, sessions, chats }
  const filler = child<FromGateway, ToGateway>('webhook-gateway.ts')
  filler.send(order)
  await filler.heard('ready')
  filler.send({ kind: 'fill', backlog })
  await filler.heard('filled')
  filler.end()
  const gateway = child<FromGateway, ToGateway>('webhook-gateway.ts')
  const began = Date.now()
  gateway.send(order)
  await receiver.count(backlog)
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

type Kinded = { kind: string }

interface Child<In extends Kinded, Out> {
  heard<K extends In['kind']>(kind: K): Promise<Extract<In, { kind: K }>>
  send(message: Out): void
  /** The receiver's: when each key came, once that many are there. */
  count(wanted: number): Promise<number[]>
  end(): void
}

function child<In extends Kinded, Out extends Kinded>(file: string): Child<In, Out> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const forked = fork(path, [], { execArgv: ['--conditions=wamux:source', '--import', 'tsx'] })
  const heard = listen<In>(forked)
  return {
    heard,
    send: (message) => void forked.send(message),
    async count(wanted) {
      forked.send({ kind: 'count', wanted })
      const { arrivals } = (await heard('arrived' as In['kind'])) as unknown as { arrivals: number[] }
      return arrivals
    },
    end: () => void forked.kill('SIGKILL'),
  }
}

function listen<In extends Kinded>(process: ChildProcess): Child<In, never>['heard'] {
  return (kind) =>
    new Promise((resolve, reject) => {
      const take = (message: unknown): void => {
        if ((message as In).kind !== kind) return
        process.off('message', take)
        resolve(message as Extract<In, { kind: typeof kind }>)
      }
      process.on('message', take)
      process.once('exit', (code) => reject(new Error(`a process of the benchmark ended with ${code}`)))
    })
}

function print(line: string): void {
  globalThis.process.stdout.write(`${line}\n`)
}
