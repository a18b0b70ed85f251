/**
 * `npm run bench`: wamux beside raw Baileys on the same network, in the same run. `-- --only sends --quick` runs one
 * part with small numbers in three minutes; `--engine postgres` uses TEST_DATABASE_URL; `--profile` writes CPU
 * profiles of wamux; `--write` puts the figures into BENCHMARKS.md.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Side } from './candidates/candidate.ts'
import { startChild } from './child.ts'
import { createSchemas } from './database.ts'
import type { Bench } from './part.ts'
import { backlog } from './parts/backlog.ts'
import { groups } from './parts/groups.ts'
import { memory } from './parts/memory.ts'
import { network } from './parts/network.ts'
import { receive } from './parts/receive.ts'
import { sends } from './parts/sends.ts'
import { start } from './parts/start.ts'
import { stall, webhooks } from './parts/webhooks.ts'
import { loadOfMachine } from './proc.ts'
import type { Client } from './processes/client.ts'
import type { Network } from './processes/network.ts'
import { writeReport } from './report.ts'
import { FULL, QUICK } from './sizes.ts'
import { FIGURES, resultsOf, type Sample, tableOf } from './table.ts'

const PARTS: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  sends,
  receive,
  groups,
  network,
  memory,
  backlog,
  start,
  webhooks,
  stall,
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(PARTS).join(',') },
    engine: { type: 'string', default: 'sqlite' },
    runs: { type: 'string', default: '3' },
    quick: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const names = values.only.split(',')
if (values.write && (values.quick || values.profile))
  throw new Error('--write needs a full run without a profiler')
for (const name of names) if (!PARTS[name]) throw new Error(`parts are ${Object.keys(PARTS).join(', ')}`)

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const samples: Sample[] = []
const folder = mkdtempSync(join(tmpdir(), 'wamux-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const profiles = values.profile ? mkdtempSync(join(tmpdir(), 'wamux-profiles-')) : undefined
const schemas = createSchemas(values.engine)

const circumstances = {
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  cpu: `${cpus().length} x ${cpus()[0]?.model}`,
  load: loadOfMachine(),
  runs: Number(values.runs),
}

print(`Node ${circumstances.node}, ${circumstances.cpu}, load ${circumstances.load}, ${values.engine}`)
try {
  for (const name of names) {
    await run(name)
    // After each part: a run of 45 minutes may be broken off.
    if (values.write) writeReport(values.engine, resultsOf(samples), circumstances)
  }
} finally {
  await schemas.drop()
}
const results = resultsOf(samples)
print(`\n${tableOf(results, values.quick)}\n\nload ${loadOfMachine()}`)
if (profiles) print(`CPU profiles: ${profiles}`)

/** Each part has a network of its own. */
async function run(name: string): Promise<void> {
  print(`\n${name}`)
  const network = startChild<Network>('network')
  const client = startChild<Client>('client')
  try {
    await PARTS[name]?.({
      sizes: values.quick ? QUICK : FULL,
      runs: circumstances.runs,
      folder,
      profiles,
      network,
      card: await network.call.card(),
      client,
      database: schemas.create,
      add,
      print,
    })
    const { texts, failures } = await network.call.received()
    if (texts > 0) print(`  texts decrypted by phones: ${texts}`)
    if (failures.length > 0) throw new Error(`phones could not decrypt ${failures.length}: ${failures[0]}`)
  } finally {
    await client.end()
    await network.end()
  }
}

function add(id: string, side: Side, value: number): void {
  const figure = FIGURES[id]
  if (!figure) throw new Error(`${id} is not a figure of the table`)
  samples.push({ id, side, value })
  print(`  ${figure.label}, ${side}: ${value.toFixed(2)} ${figure.unit}`)
}
