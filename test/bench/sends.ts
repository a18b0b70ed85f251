import { join } from 'node:path'
import type { FromCandidate, Order, Result, ToCandidate } from './candidate.ts'
import { type Child, startChild } from './child.ts'
import type { FromNetwork, ToNetwork } from './network.ts'

export interface SendOptions {
  runs: number
  sessions: number
  messages: number
  folder: string
  print(line: string): void
}

type Network = Child<FromNetwork, ToNetwork>
type Candidate = Order['candidate']

const CANDIDATES = ['baileys', 'wamux'] as const

/** Memory with idle sessions, and texts a second, of both. */
export async function compareSends(options: SendOptions): Promise<void> {
  const { runs, sessions, messages, folder, print } = options
  const network = startChild<FromNetwork, ToNetwork>('network', { isMeasured: false })
  const { card, ana } = await network.heard('ready')
  print(
    `${runs} runs each, one network in its own process; ${sessions} idle sessions; ${messages} texts in a row and 10 at once`,
  )
  const results: Record<Candidate, Result[]> = { baileys: [], wamux: [] }
  for (let run = 0; run < runs; run += 1) {
    for (const candidate of CANDIDATES) {
      const dataDir = join(folder, `${candidate}${run}`)
      results[candidate].push(
        await measure(network, { candidate, card, to: ana, sessions, messages, dataDir }),
      )
      print(`  run ${run + 1}: ${candidate} done`)
    }
  }
  network.end()
  report(results, options)
}

/** Runs one candidate in a fresh process; the network's phones link its sessions on request. */
async function measure(network: Network, order: Order): Promise<Result> {
  const child = startChild<FromCandidate, ToCandidate>('candidate', { args: [JSON.stringify(order)] })
  child.on('scan', network.send)
  const { result } = await child.heard('result')
  child.end()
  return result
}

function report(results: Record<Candidate, Result[]>, { sessions, print }: SendOptions): void {
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

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
