/**
 * `npm run cluster:fence`: what the fence adds to the processor time of a message. Under one stream of messages, one node has it
 * and does without it in turn, for two seconds each: whatever else changes the time of a message is the same for both.
 * `-- --rate 60 --pairs 150`.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'

// The test's databases clean up after mocha; here the process ends with them.
Object.assign(globalThis, { after: () => undefined })
const { buildOnce, compile } = await import('../support/run/build.ts')
const { dropDatabases } = await import('../support/databases.ts')
const { admin } = await import('../support/sessions.ts')
const { startFleet } = await import('./fleet.ts')
const { openLoad } = await import('./load.ts')

const { values } = parseArgs({
  options: { rate: { type: 'string', default: '60' }, pairs: { type: 'string', default: '150' } },
})
const rate = Number(values.rate)
const pairs = Number(values.pairs)
const TURN_MS = 2_000
const WARM_SECONDS = 30
const SHOWN_PAIRS = 15
/** Of a stream that is a little longer than the turns. */
const SPARE_SECONDS = 15

/** Milliseconds of processor time a message. */
interface Cost {
  node: number
  database: number
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
buildOnce()
const plugins = [compile(new URL('fence-switch.ts', import.meta.url).pathname)]
const fleet = await startFleet({ count: 1, isCluster: true, hasWebhooks: true, plugins })
const load = await openLoad(fleet, rate)

async function turn(isFenced: boolean): Promise<Cost> {
  const answer = await fleet.nodes[0]?.post('/fence-switch', { On: isFenced }, admin)
  if (answer?.data?.On !== isFenced) throw new Error(`the fence was not switched: ${answer?.error}`)
  const [node, database, began] = [fleet.nodesCpu(), await fleet.databaseCpu(), performance.now()]
  await wait(TURN_MS)
  const messages = (rate * (performance.now() - began)) / 1000
  return {
    node: (fleet.nodesCpu() - node) / messages,
    database: ((await fleet.databaseCpu()) - database) / messages,
  }
}

for (const work of ['send', 'receive'] as const) {
  await load[work](WARM_SECONDS)
  let isOver = false
  const stream = load[work]((2 * pairs * TURN_MS) / 1000 + SPARE_SECONDS).finally(() => {
    isOver = true
  })
  await wait(TURN_MS)
  const fenced: Cost[] = []
  const unfenced: Cost[] = []
  while (fenced.length < pairs) {
    // At random: leases are renewed at a beat of their own.
    const isFirst = Math.random() < 0.5
    for (const isFenced of [isFirst, !isFirst]) (isFenced ? fenced : unfenced).push(await turn(isFenced))
    if (isOver) throw new Error('the stream ended before the turns')
    if (fenced.length % SHOWN_PAIRS === 0)
      print(`${work}, ${fenced.length} pairs: ${shown(fenced, unfenced)}`)
  }
  await stream
}
await fleet.close()
await dropDatabases()
process.exit(0)

function shown(fenced: readonly Cost[], unfenced: readonly Cost[]): string {
  const part = (costs: readonly Cost[], name: keyof Cost): number => meanOf(costs.map((cost) => cost[name]))
  const sides = [fenced, unfenced].map(
    (costs) => `${part(costs, 'node').toFixed(2)} + ${part(costs, 'database').toFixed(2)} ms`,
  )
  const whole = part(unfenced, 'node') + part(unfenced, 'database')
  const changes = fenced.map((cost, index) => {
    const other = unfenced[index] as Cost
    return ((cost.node + cost.database - other.node - other.database) * 100) / whole
  })
  const mean = meanOf(changes)
  const variance = meanOf(changes.map((change) => (change - mean) ** 2))
  const error = Math.sqrt(variance / (changes.length - 1))
  return `node and PostgreSQL ${sides.join(' with the fence, ')} without; it adds ${mean.toFixed(1)} % (standard error ${error.toFixed(1)})`
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length
}
