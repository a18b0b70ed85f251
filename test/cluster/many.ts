/**
 * `npm run cluster:many`: 1,000 sessions on three nodes of which one is killed: the time until all are served again, and
 * what PostgreSQL does meanwhile. `-- --sessions 1000`.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'

// The test's databases clean up after mocha; here the process ends with them.
Object.assign(globalThis, { after: () => undefined })
const { buildOnce } = await import('../support/run/build.ts')
const { dropDatabases } = await import('../support/databases.ts')
const { cpuOf, rssOf } = await import('../bench/proc.ts')
const { startFleet } = await import('./fleet.ts')

const { values } = parseArgs({ options: { sessions: { type: 'string', default: '1000' } } })
const count = Number(values.sessions)
const LINKED_AT_ONCE = 9
const IDLE_MS = 10_000
const LIMIT_MS = 120_000

const print = (line: string): void => void process.stdout.write(`${line}\n`)
buildOnce()
const fleet = await startFleet({ count: 3, isCluster: true, hasWebhooks: false })
const { nodes, look } = fleet
const began = performance.now()
let linked = 0
await Promise.all(
  Array.from({ length: LINKED_AT_ONCE }, async (_, lane) => {
    for (let index = lane; index < count; index += LINKED_AT_ONCE) {
      await fleet.link(index)
      linked += 1
      if (linked % 100 === 0) print(`${linked} linked after ${seconds(began)} s`)
    }
  }),
)

/** Queries are counted by transactions: nearly all of them are one query each. */
async function transactions(): Promise<number> {
  const { rows } = await look.raw(
    'SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()',
  )
  return Number(rows[0].count)
}
interface Load {
  queries: number
  database: number
  nodes: number[]
}
const live = [1, 2].map((index) => nodes[index]?.pid ?? 0)
const load = async (): Promise<Load> => ({
  queries: await transactions(),
  database: await fleet.databaseCpu(),
  nodes: live.map(cpuOf),
})
/** Shares of a core in percent. */
function shown(before: Load, after: Load, ms: number): string {
  const share = (from: number, to: number): string => `${((100 * (to - from)) / ms).toFixed(1)} %`
  const each = before.nodes.map((from, index) => share(from, after.nodes[index] ?? 0)).join(' and ')
  const rate = ((after.queries - before.queries) * 1000) / ms
  return `PostgreSQL ${rate.toFixed(0)} transactions/s, ${share(before.database, after.database)} of a core; nodes 2 and 3: ${each}`
}

const idle = await load()
await wait(IDLE_MS)
print(
  `idle: ${shown(idle, await load(), IDLE_MS)}; RSS ${live.map((pid) => rssOf(pid).toFixed(0)).join(' and ')} MB`,
)

const { rows } = await look.raw("SELECT count(*) FROM cluster_leases WHERE node LIKE 'node1-%'")
const lost = Number(rows[0].count)
const connects = (): number =>
  nodes
    .slice(1)
    .reduce((sum, { lines }) => sum + lines.filter((line) => line.includes('"session connected"')).length, 0)
const before = connects()
const start = await load()
const killed = performance.now()
await nodes[0]?.end('SIGKILL')
print(`node 1 killed, with ${lost} of ${count} sessions`)
const marks = [0.01, 0.5, 0.99, 1]
while (marks.length > 0 && performance.now() - killed < LIMIT_MS) {
  await wait(100)
  const back = connects() - before
  while (marks[0] !== undefined && back >= Math.max(1, Math.floor(lost * marks[0])))
    print(`${marks.shift()} of them (${back}) served again after ${seconds(killed)} s`)
  await fleet.databaseCpu()
}
print(`meanwhile: ${shown(start, await load(), performance.now() - killed)}`)
await fleet.close()
await dropDatabases()
process.exit(marks.length === 0 ? 0 : 1)

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1)
}
