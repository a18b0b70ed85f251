import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Nodes, nodesOf } from './nodes.ts'
import { type Result, tableOf } from './table.ts'

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
    return measured ? [`## ${name}\n\n${circumstancesOf(measured)}\n\n${tableOf(measured)}\n`] : []
  })
  const sections = [
    existsSync(SOAK) ? `${soakOf(JSON.parse(readFileSync(SOAK, 'utf8')))}\n` : '',
    existsSync(NODES) ? `${nodesOf(JSON.parse(readFileSync(NODES, 'utf8')))}\n` : '',
  ]
  return `${HEAD}\n${tables.join('\n')}\n${sections.join('')}${REPEAT}`
}

function soakOf({ minutes, sessions, sends, receives, failed, cpu, heap, rss, growth, load }: Soak): string {
  return `## Soak

\`npm run soak\`: ${sessions} sessions, ${sends} sends and ${receives} receives a second for ${minutes} minutes, load ${load} at
the start: ${failed} sends failed; ${cpu} % of one core; at the end ${heap} MB of heap and ${rss} MB of resident memory; the
heap grew by ${growth} MB an hour after the first ten minutes (must: less than 1).
`
}

/** One line for each time that something of the table was measured. */
function circumstancesOf(measured: Record<string, Measured>): string {
  const lines = Object.values(measured).map(
    ({ date, node, cpu, load, runs }) =>
      `- ${date}: Node ${node}, ${cpu}, load ${load} at the start; medians of ${runs}`,
  )
  return [...new Set(lines)].sort().join('\n')
}

const HEAD = `# Benchmarks

wamux beside raw Baileys (the same version, unpatched), written by \`npm run bench -- --write\`.

## What is compared

| | raw | wamux |
| --- | --- | --- |
| Process | Baileys with its keys in memory, behind a plain \`node:http\` server | the gateway as installed, with its default settings |
| Answers a send | when the frame is written to the socket | when the network has acknowledged the message, whose row has been on disk since before it left |
| A received message | raises Baileys' event in memory | is stored before it is acknowledged, and counted at the webhook receiver |
| After \`kill -9\` | loses its keys and what it had not handled | loses nothing that it answered or acknowledged |

- A client process of its own sends through HTTP on connections that it keeps open. The local network, its phones and
  the webhook receiver run in processes of their own, on the same machine.
- Raw and wamux alternate within one run, each in a fresh process that handles 2,000 messages before it is measured.
- CPU is user and system time of the process from \`/proc\`, until it is idle again, divided by the messages. On
  PostgreSQL it leaves out the processes of the database server.
- Rates depend on the machine, which all processes share: compare within a row. A bound with \`x\` is of the ratio.
- Memory is read after 40 seconds without work, in which V8 gives back what it does not use, unless the row says
  otherwise. That of an idle session is what each further session adds, after a garbage collection.
`

const REPEAT = `## How to repeat

\`\`\`sh
npm run bench                                # everything: 45 minutes on two cores
npm run bench -- --only sends --quick        # one part with small numbers, in three minutes
npm run bench -- --only sends,receive --runs 5
npm run bench -- --only sends --profile      # CPU profiles of wamux
npm run bench -- --write                     # puts the figures into this file
TEST_DATABASE_URL=postgres://… npm run bench -- --engine postgres --only sends,receive,webhooks
TEST_DATABASE_URL=postgres://… npm run cluster:many -- --nodes 10 --sessions-per-node 100 --minutes 10 --write
\`\`\`

The parts are \`sends\`, \`receive\`, \`groups\`, \`network\`, \`memory\`, \`backlog\`, \`start\` and \`webhooks\`. Nothing else may
run on the machine: the load that is printed is of other processes only at the start.
`
