import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Nodes, nodesOf } from './nodes.ts'
import { figuresOf, type Result } from './table.ts'

/** The machine and the day of a measurement. */
export interface Circumstances {
  date: string
  node: string
  cpu: string
  load: string
  runs: number
}

type Measured = Result & Circumstances
/** What was measured last of each figure, by engine. */
type Results = Record<string, Record<string, Measured>>

/** What `npm run soak` saw. */
export interface Soak {
  minutes: number
  sessions: number
  /** A second. */
  sends: number
  receives: number
  /** Sends that were not answered with success. */
  failed: number
  /** Percent of one core. */
  cpu: number
  /** Megabytes at the end, and megabytes an hour after the first ten minutes. */
  heap: number
  rss: number
  growth: number
  load: string
}

const RESULTS = 'test/bench/results.json'
const SOAK = 'test/bench/soak.json'
const NODES = 'test/bench/nodes.json'
const REPORT = 'BENCHMARKS.md'
const NOTES = '<!-- notes: what follows is kept -->'
const ENGINES: Readonly<Record<string, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/** Puts figures beside those of other parts and of the other engine, and writes BENCHMARKS.md. */
export function writeReport(
  engine: string,
  figures: Record<string, Result>,
  circumstances: Circumstances,
): void {
  const results: Results = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {}
  const measured = Object.entries(figures).map(([id, result]) => [id, { ...result, ...circumstances }])
  results[engine] = { ...results[engine], ...Object.fromEntries(measured) }
  writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`)
  write(results)
}

/** Puts the figures of a soak into BENCHMARKS.md. */
export function writeSoak(soak: Soak): void {
  writeSection(SOAK, soak)
}

/** Puts the figures of many nodes into BENCHMARKS.md. */
export function writeNodes(nodes: Nodes): void {
  writeSection(NODES, nodes)
}

function writeSection(file: string, figures: Soak | Nodes): void {
  writeFileSync(file, `${JSON.stringify(figures, undefined, 2)}\n`)
  write(existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {})
}

function write(results: Results): void {
  const [, notes = '\n\n## Notes\n\nNone.\n'] = existsSync(REPORT)
    ? readFileSync(REPORT, 'utf8').split(NOTES)
    : []
  writeFileSync(REPORT, `${reportOf(results)}\n${NOTES}${notes}`)
}

function reportOf(results: Results): string {
  const tables = Object.entries(ENGINES).flatMap(([engine, name]) => {
    const measured = results[engine]
    return measured ? [`## ${name}\n\n${circumstancesOf(measured)}\n\n${figuresOf(measured)}\n`] : []
  })
  const sections = [
    existsSync(SOAK) ? `${soakOf(JSON.parse(readFileSync(SOAK, 'utf8')))}\n` : '',
    existsSync(NODES) ? `${nodesOf(JSON.parse(readFileSync(NODES, 'utf8')))}\n` : '',
  ]
  return `${HEAD}\n${tables.join('\n')}\n${sections.join('')}${REPEAT}`
}

function soakOf({ minutes, sessions, sends, receives, failed, cpu, heap, rss, growth, load }: Soak): string {
  return `## Soak

\`npm run soak\`: ${sessions} sessions, ${sends} sends and ${receives} receives a second for ${minutes} minutes (load ${load} at the
start). ${failed} sends failed. The process used ${cpu} % of one core and ended at ${heap} MB of heap and ${rss} MB of resident
memory. After the first ten minutes the heap grew by ${growth} MB an hour.
`
}

/** One line for each time that something of the table was measured. */
function circumstancesOf(measured: Record<string, Measured>): string {
  const lines = Object.values(measured).map(
    ({ date, node, cpu, load }) => `- ${date}: Node ${node}, ${cpu}, load ${load}`,
  )
  return [...new Set(lines)].sort().join('\n')
}

const HEAD = `# Benchmarks

wamux compared with raw Baileys: the same version, unpatched. \`npm run bench -- --write\` writes this file.

## Method

| | raw | wamux |
| --- | --- | --- |
| Process | Baileys with keys in memory behind a plain \`node:http\` server | the gateway as installed, default settings |
| Answers a send | when the frame is written to the socket | when the network has acknowledged the message, which was on disk before it left |
| A received message | raises a Baileys event in memory | is stored, acknowledged, and counted at the webhook receiver |
| After \`kill -9\` | loses its keys and everything not yet handled | loses nothing it answered or acknowledged |

- The client, the local network with its phones, and the webhook receiver are separate processes on the same machine, so
  compare figures within a row only.
- Raw and wamux alternate; each run is a fresh process that handles 2,000 messages before it is measured. Figures are medians
  of three runs, the load is that at the start.
- CPU is the user and system time of the process until it is idle again, divided by the number of messages, without the
  database server.
- Memory is read after 40 seconds without work, unless the row says otherwise. An idle session costs what each additional
  one adds after a garbage collection.
`

const REPEAT = `## How to repeat

\`\`\`sh
npm run bench                                # everything: 45 minutes on two cores
npm run bench -- --only sends --quick        # one part with small numbers, in three minutes
npm run bench -- --only sends --profile      # CPU profiles of wamux
npm run bench -- --write                     # puts the figures into this file
TEST_DATABASE_URL=postgres://… npm run bench -- --engine postgres --only sends,receive,webhooks
TEST_DATABASE_URL=postgres://… npm run cluster:many -- --nodes 10 --sessions-per-node 100 --minutes 10 --write
\`\`\`

Parts: \`sends\`, \`receive\`, \`groups\`, \`network\`, \`memory\`, \`backlog\`, \`start\`, \`webhooks\`, \`stall\`. Run nothing else on the
machine.
`
