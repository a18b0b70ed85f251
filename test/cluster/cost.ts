/**
 * `npm run cluster:cost`: processor time, transactions, WAL and stored bytes of a message on one process without the plugin, and on 1, 2 and 3 nodes, at the
 * same rate a node. `-- --rate 60 --seconds 8 --runs 1`. WAL is the server's: nothing else may write to it.
 */
import { parseArgs } from 'node:util'

// The test's databases clean up after mocha; here the process ends with them.
Object.assign(globalThis, { after: () => undefined })
const { buildOnce } = await import('../support/run/build.ts')
const { dropDatabases } = await import('../support/databases.ts')
const { medianOf } = await import('../bench/table.ts')
const { settled } = await import('../bench/proc.ts')
const { startFleet } = await import('./fleet.ts')
const { openLoad } = await import('./load.ts')
type Fleet = import('./fleet.ts').Fleet

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '60' },
    seconds: { type: 'string', default: '8' },
    runs: { type: 'string', default: '1' },
    only: { type: 'string', default: '0,1,2,3' },
  },
})
const [rate, seconds, runs] = [values.rate, values.seconds, values.runs].map(Number) as [
  number,
  number,
  number,
]
const WARM_SECONDS = 4
const WORK = ['send', 'send through another node', 'receive, to the webhook'] as const
type Work = (typeof WORK)[number]

/** Of a message: milliseconds of processor time, transactions, bytes of WAL and of tables with their indexes. */
interface Cost {
  nodes: number
  database: number
  transactions: number
  wal: number
  stored: number
}
const PARTS = ['nodes', 'database', 'transactions', 'wal', 'stored'] as const

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const measured = new Map<string, Cost[]>()

type Written = Pick<Cost, 'transactions' | 'wal' | 'stored'>

/** Since the server began. */
async function written({ look }: Fleet): Promise<Written> {
  // A backend reports its transactions once it has been idle for a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const { rows } = await look.raw(
    `SELECT xact_commit AS transactions, pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS wal,
       (SELECT sum(pg_total_relation_size(oid)) FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace) AS stored
     FROM pg_stat_database WHERE datname = current_database()`,
  )
  const { transactions, wal, stored } = rows[0] as Record<keyof Written, string>
  return { transactions: Number(transactions), wal: Number(wal), stored: Number(stored) }
}

async function cost(fleet: Fleet, count: number, work: () => Promise<unknown>): Promise<Cost> {
  const pids = fleet.nodes.map(({ pid }) => pid)
  await settled(...pids)
  const before = await written(fleet)
  const [nodes, database] = [fleet.nodesCpu(), await fleet.databaseCpu()]
  await work()
  await settled(...pids)
  const after = await written(fleet)
  return {
    nodes: (fleet.nodesCpu() - nodes) / count,
    database: ((await fleet.databaseCpu()) - database) / count,
    transactions: (after.transactions - before.transactions) / count,
    wal: (after.wal - before.wal) / count,
    stored: (after.stored - before.stored) / count,
  }
}

async function measure(count: number): Promise<void> {
  const isCluster = count > 0
  const nodes = Math.max(1, count)
  const fleet = await startFleet({ count: nodes, isCluster, hasWebhooks: true })
  const load = await openLoad(fleet, rate)
  await load.send(WARM_SECONDS)
  await load.receive(WARM_SECONDS)
  const total = rate * nodes * seconds
  const add = (work: Work, one: Cost): void => {
    const key = `${count} ${work}`
    measured.set(key, [...(measured.get(key) ?? []), one])
    const name = isCluster ? `${count} nodes` : 'no plugin'
    print(`${name}, ${work}: ${PARTS.map((part) => `${part} ${one[part].toFixed(2)}`).join(', ')} a message`)
  }
  add('send', await cost(fleet, total, () => load.send(seconds)))
  if (count > 1) add('send through another node', await cost(fleet, total, () => load.send(seconds, 1)))
  add('receive, to the webhook', await cost(fleet, total, () => load.receive(seconds)))
  await fleet.close()
}

buildOnce()
const counts = values.only.split(',').map(Number)
for (let run = 0; run < runs; run += 1) for (const count of counts) await measure(count)
await dropDatabases()

const of = (count: number, work: Work, part: keyof Cost): string => {
  const all = measured.get(`${count} ${work}`)
  return all ? medianOf(all.map((one) => one[part])).toFixed(2) : ''
}
print(
  `\n${rate} messages a second and node, ${seconds} s, medians of ${runs} runs; a message: ms of processor time, transactions, bytes\n`,
)
print('| Work | of | no plugin | 1 node | 2 nodes | 3 nodes |\n| --- | --- | ---: | ---: | ---: | ---: |')
for (const work of WORK)
  for (const part of PARTS)
    print(`| ${[work, part, ...[0, 1, 2, 3].map((count) => of(count, work, part))].join(' | ')} |`)
process.exit(0)
