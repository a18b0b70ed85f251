/**
 * `npm run cluster:many`: many nodes with many sessions on one PostgreSQL, idle and then under a light load: connections, WAL,
 * processor time, memory, and whether anything was served twice, lost or doubled. `-- --nodes 10 --sessions-per-node 100
 * --minutes 10`; `--kill` kills a node in the end, and `--write` puts the figures into BENCHMARKS.md. WAL is the server's:
 * nothing else may write to it.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'

// The test's databases clean up after mocha; here the process ends with them.
Object.assign(globalThis, { after: () => undefined })
const { buildOnce } = await import('../support/run/build.ts')
const { dropDatabases } = await import('../support/databases.ts')
const { nodesOf } = await import('../bench/nodes.ts')
const { loadOfMachine } = await import('../bench/proc.ts')
const { writeNodes } = await import('../bench/report.ts')
const { medianOf } = await import('../bench/table.ts')
const { openBalancedLoad } = await import('./balanced-load.ts')
const { startFleet } = await import('./fleet.ts')
const { createMeter, usageOf } = await import('./meter.ts')
const { takeOver } = await import('./takeover.ts')
const { servedTwice, tenuresOf } = await import('./tenures.ts')
type FleetUse = import('../bench/nodes.ts').FleetUse
type FleetSession = import('./fleet.ts').FleetSession
type Meter = import('./meter.ts').Meter
type Usage = import('./meter.ts').Usage

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '10' },
    'sessions-per-node': { type: 'string', default: '100' },
    minutes: { type: 'string', default: '10' },
    idle: { type: 'string', default: '60' },
    sends: { type: 'string', default: '5' },
    receives: { type: 'string', default: '10' },
    kill: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const number = (name: Exclude<keyof typeof values, 'kill' | 'write'>): number => Number(values[name])
const count = number('nodes') * number('sessions-per-node')
const [minutes, sends, receives] = [number('minutes'), number('sends'), number('receives')]
const LINKED_AT_ONCE = 9
/** After the last session was linked or the last text has arrived, until nothing of it goes on. */
const SETTLE_MS = 15_000
const SAMPLE_MS = 1_000
const SHOWN_MS = 30_000
/** `max_connections` as PostgreSQL has it by default, without those that are reserved for superusers. */
const CONNECTIONS = 97

const print = (line: string): void => void process.stdout.write(`${line}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
buildOnce()
const machine = loadOfMachine()
const fleet = await startFleet({
  count: number('nodes'),
  isCluster: true,
  hasWebhooks: true,
  onStarted: (nodes) => print(`${nodes} of ${values.nodes} nodes started`),
})
let isClean = false
try {
  isClean = await run()
} catch (error) {
  for (const { node, line } of warnings().slice(-20)) print(`node ${node}: ${line.slice(0, 400)}`)
  throw error
} finally {
  await fleet.close()
  await dropDatabases()
}
process.exit(isClean ? 0 : 1)

async function run(): Promise<boolean> {
  const meter = createMeter(fleet)
  const sessions = await sampled(meter, linkAll)
  await sampled(meter, () => wait(SETTLE_MS))

  print(`idle for ${values.idle} s`)
  const idle = await usage(meter, () => wait(number('idle') * 1_000))
  const load = await openBalancedLoad(fleet, sessions, { sends, receives })
  print(`${sends} sends and ${receives} receives a second for ${minutes} minutes`)
  const began = performance.now()
  const progress = async (): Promise<string> => {
    const { sent, failed, received } = await load.look()
    const { open, overlaps } = await fleet.network.call.links()
    return `${seconds(began)} s: ${sent} sent, ${failed.length} failed, ${received} received; ${open} links, ${overlaps.length} overlaps; at most ${meter.highest.total} connections`
  }
  const loaded = await usage(meter, () => load.run(minutes * 60), progress)
  const rss = meter.rss()
  await wait(SETTLE_MS)

  const { sent, received, ...faults } = await load.look()
  const { overlaps, stale, open } = await fleet.network.call.links()
  const tenures = fleet.nodes.flatMap(({ lines }, index) => tenuresOf(`node${index + 1}`, lines))
  const owners = [...(await fleet.owners()).values()]
  const report = {
    date: new Date().toISOString().slice(0, 10),
    nodes: number('nodes'),
    sessions: count,
    minutes,
    sends,
    receives,
    load: machine,
    connections: meter.highest,
    idle: summaryOf(idle),
    loaded: summaryOf(loaded),
    rss: { median: medianOf(rss), highest: Math.max(...rss) },
    sent,
    received,
    failed: faults.failed.length,
    lost: faults.lost.length + faults.vanished.length,
    doubled: faults.doubled.length + faults.repeated.length,
    servedTwice: overlaps.length + servedTwice(tenures).length,
  }
  const wrong: Record<string, readonly unknown[]> = {
    ...faults,
    overlaps,
    'frames of older links': stale,
    'leases of two nodes': servedTwice(tenures),
    'more connections than PostgreSQL has': meter.highest.total > CONNECTIONS ? [meter.highest.total] : [],
    'sessions that are not connected': open === count && owners.length === count ? [] : [count - open],
  }
  const errors = warnings().filter(({ line }) => /"level":[56]0/.test(line))
  print(`\n${nodesOf(report)}`)
  const shares = Array.from(
    { length: number('nodes') },
    (_, node) => owners.filter((one) => one === node).length,
  )
  print(
    `sessions of each node: ${shares.join(', ')}; ${tenures.length} leases, ${errors.length} errors logged`,
  )
  print(`transactions a second in other databases: ${loaded.foreignPerSecond.toFixed(1)}`)
  for (const { node, line } of errors.slice(0, 5)) print(`node ${node}: ${line.slice(0, 400)}`)
  const found = Object.entries(wrong).filter(([, list]) => list.length > 0)
  for (const [what, list] of found) print(`${what}: ${list.length}, ${list.slice(0, 5).join('; ')}`)
  if (values.write) writeNodes(report)
  const isServedAgain = !values.kill || (await takeOver(fleet, print))
  print(found.length === 0 ? '0 served twice, 0 lost, 0 doubled, 0 failed' : 'NOT CLEAN')
  return found.length === 0 && isServedAgain
}

/** Lines of the nodes' logs from warnings up, oldest first. */
function warnings(): { node: number; line: string }[] {
  const all = fleet.nodes.flatMap(({ lines }, index) =>
    lines.filter((line) => /"level":[456]0/.test(line)).map((line) => ({ node: index + 1, line })),
  )
  const timeOf = ({ line }: { line: string }): string => /"time":"([^"]+)"/.exec(line)?.[1] ?? ''
  return all.toSorted((a, b) => timeOf(a).localeCompare(timeOf(b)))
}

async function linkAll(): Promise<FleetSession[]> {
  const sessions: FleetSession[] = []
  const began = performance.now()
  let next = 0
  await Promise.all(
    Array.from({ length: LINKED_AT_ONCE }, async () => {
      while (next < count) {
        next += 1
        sessions.push(await fleet.link(next - 1))
        if (sessions.length % 50 === 0)
          print(`${sessions.length} of ${count} linked after ${seconds(began)} s`)
      }
    }),
  )
  return sessions
}

/** What the fleet uses while that goes on. */
async function usage(
  meter: Meter,
  work: () => Promise<unknown>,
  progress?: () => Promise<string>,
): Promise<Usage> {
  const before = await meter.read()
  await sampled(meter, work, progress)
  return usageOf(before, await meter.read())
}

/** Samples the connections while that goes on, and shows its progress. */
async function sampled<T>(
  meter: Meter,
  work: () => Promise<T>,
  progress?: () => Promise<string>,
): Promise<T> {
  let isOver = false
  const running = work().finally(() => {
    isOver = true
  })
  let shown = performance.now()
  while (!isOver) {
    await Promise.race([wait(SAMPLE_MS), running])
    await meter.sample()
    if (!progress || performance.now() - shown < SHOWN_MS) continue
    shown = performance.now()
    print(await progress())
  }
  return running
}

function summaryOf({ nodes, foreignPerSecond: _, ...usage }: Usage): FleetUse {
  return { ...usage, node: medianOf(nodes), busiest: Math.max(...nodes) }
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1_000).toFixed(0)
}
