/**
 * `npm run bench`: wamux beside raw Baileys, on the same network, in the same run. Prints medians and ratios;
 * `-- --runs 3 --sessions 100 --messages 500` are the defaults.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Order, Result } from './candidate.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    sessions: { type: 'string', default: '100' },
    messages: { type: 'string', default: '500' },
  },
})
const runs = Number(values.runs)
const sessions = Number(values.sessions)
const messages = Number(values.messages)
const CANDIDATES = ['baileys', 'wamux'] as const
type Candidate = (typeof CANDIDATES)[number]

const folder = mkdtempSync(join(tmpdir(), 'wamux-bench-'))
try {
  const network = await startChild('network.ts', [])
  const { card, ana } = await heard<{ card: string; ana: string }>(network)
  print(
    `${runs} runs each, one network in its own process; ${sessions} idle sessions; ${messages} texts in a row and 10 at once`,
  )
  const results: Record<Candidate, Result[]> = { baileys: [], wamux: [] }
  for (let run = 0; run < runs; run += 1) {
    for (const candidate of CANDIDATES) {
      const order: Order = {
        candidate,
        card,
        to: ana,
        sessions,
        messages,
        dataDir: join(folder, `${candidate}${run}`),
      }
      results[candidate].push(await measure(network, order))
      print(`  run ${run + 1}: ${candidate} done`)
    }
  }
  network.kill()
  report(results)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Runs one candidate in a fresh process; the network's phones link its sessions on request. */
async function measure(network: ChildProcess, order: Order): Promise<Result> {
  const child = await startChild('candidate.ts', [JSON.stringify(order)])
  const relay = (message: object): void => void network.send(message)
  child.on('message', relay)
  const back = (message: object): void => void child.send(message)
  network.on('message', back)
  const result = await heard<Result>(child, (message) => 'rssIdle' in (message as object))
  network.off('message', back)
  child.kill()
  return result
}

function report(results: Record<Candidate, Result[]>): void {
  const rows: readonly [label: string, field: keyof Result, unit: string][] = [
    ['memory, no session (RSS)', 'rssEmpty', 'MB'],
    [`memory, ${sessions} idle sessions (RSS)`, 'rssIdle', 'MB'],
    ['texts, one after the other', 'sequential', '/s'],
    ['texts, 10 at once', 'parallel', '/s'],
  ]
  print(`\n${'median'.padEnd(36)}${'raw Baileys'.padStart(14)}${'wamux'.padStart(14)}${'ratio'.padStart(9)}`)
  for (const [label, field, unit] of rows) {
    const [raw, ours] = CANDIDATES.map((candidate) =>
      median(results[candidate].map((result) => result[field])),
    ) as [number, number]
    const cells = [raw, ours].map((value) => `${value.toFixed(0)} ${unit}`.padStart(14)).join('')
    print(`${label.padEnd(36)}${cells}${(ours / raw).toFixed(2).padStart(9)}`)
  }
  print('\nRaw Baileys keeps its keys in memory and counts a text as sent when it is written to the socket;')
  print(
    'wamux commits it to SQLite (synchronous FULL), answers over HTTP, and waits for the ack of the network.',
  )
}

function startChild(file: string, args: string[]): Promise<ChildProcess> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  return Promise.resolve(
    fork(path, args, { execArgv: ['--conditions=wamux:source', '--import', 'tsx', '--expose-gc'] }),
  )
}

function heard<T>(child: ChildProcess, matches: (message: unknown) => boolean = () => true): Promise<T> {
  return new Promise((resolve, reject) => {
    const take = (message: unknown): void => {
      if (!matches(message)) return
      child.off('message', take)
      resolve(message as T)
    }
    child.on('message', take)
    child.once('exit', (code) => reject(new Error(`a process of the benchmark ended with ${code}`)))
  })
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
