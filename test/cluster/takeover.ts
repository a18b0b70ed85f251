import { setTimeout as wait } from 'node:timers/promises'
import type { Fleet } from './fleet.ts'
import { createMeter, usageOf } from './meter.ts'

const MARKS = [0.01, 0.5, 0.99, 1]
const LIMIT_MS = 120_000

/**
 * Kills the first node: the time until the others serve its sessions. Resolves with whether they serve all of them.
 */
export async function takeOver(fleet: Fleet, print: (line: string) => void): Promise<boolean> {
  const { nodes, look } = fleet
  const meter = createMeter({ ...fleet, nodes: nodes.slice(1) })
  const { rows } = await look.raw("SELECT count(*) FROM cluster_leases WHERE node LIKE 'node1-%'")
  const lost = Number(rows[0].count)
  const connects = (): number =>
    nodes
      .slice(1)
      .reduce(
        (sum, { lines }) => sum + lines.filter((line) => line.includes('"session connected"')).length,
        0,
      )
  const before = connects()
  const start = await meter.read()
  const killed = performance.now()
  await nodes[0]?.end('SIGKILL')
  print(`node 1 killed, with ${lost} sessions`)
  const marks = [...MARKS]
  while (marks.length > 0 && performance.now() - killed < LIMIT_MS) {
    await wait(100)
    const back = connects() - before
    while (marks[0] !== undefined && back >= Math.max(1, Math.floor(lost * marks[0])))
      print(
        `${100 * (marks.shift() ?? 0)} % of them (${back}) served again after ${((performance.now() - killed) / 1_000).toFixed(1)} s`,
      )
    await meter.sample()
  }
  const used = usageOf(start, await meter.read())
  print(
    `meanwhile: PostgreSQL ${used.transactionsPerSecond.toFixed(0)} transactions/s, ${used.backends.toFixed(1)} % of a core; the other nodes ${used.nodes.map((node) => node.toFixed(1)).join(', ')} %`,
  )
  return marks.length === 0
}
