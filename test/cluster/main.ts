/** `npm run cluster -- --kills N --seed S`: nodes of a cluster die under traffic, replayable by the seed. See kernel/docs/scaling-out.md. */
import { parseArgs } from 'node:util'

// The test's databases clean up after mocha; here the process ends with them.
Object.assign(globalThis, { after: () => undefined })
const { clusterLoop } = await import('./cluster.ts')
const { FAULTS } = await import('./faults.ts')
const { dropDatabases } = await import('../support/databases.ts')
const { buildOnce } = await import('../support/build.ts')
const { NO_FAULTS } = await import('../crash/evidence.ts')
type FaultName = import('./faults.ts').FaultName

const { values } = parseArgs({
  options: {
    kills: { type: 'string' },
    restarts: { type: 'string' },
    stalls: { type: 'string' },
    cuts: { type: 'string' },
    terminates: { type: 'string' },
    drains: { type: 'string' },
    seed: { type: 'string', default: '1' },
    nodes: { type: 'string', default: '3' },
    sessions: { type: 'string', default: '4' },
    lease: { type: 'string', default: '15000' },
  },
})
buildOnce()
const asked = (Object.keys(FAULTS) as FaultName[]).flatMap((fault) => {
  const times = Number(values[`${fault}s`] ?? 0)
  return times > 0 ? [{ fault, times }] : []
})
let isClean = true
for (const { fault, times } of asked.length > 0 ? asked : [{ fault: 'kill' as const, times: 20 }]) {
  const [seed, nodes, sessions, leaseMs] = [values.seed, values.nodes, values.sessions, values.lease].map(
    Number,
  )
  process.stdout.write(`${times} × ${fault}, seed ${seed}\n`)
  const onProgress = (line: string): void => void process.stdout.write(`${line}\n`)
  const report = await clusterLoop({
    fault,
    times,
    ...({ seed, nodes, sessions, leaseMs } as { seed: number }),
    onProgress,
  })
  process.stdout.write(`${JSON.stringify({ ...report, gaps: undefined }, null, 2)}\n`)
  const { faults, stale, retries } = report
  isClean &&= JSON.stringify(faults) === JSON.stringify(NO_FAULTS) && stale.length === 0 && retries === 0
}
await dropDatabases()
process.stdout.write(isClean ? '0 lost, 0 doubled\n' : 'NOT CLEAN\n')
process.exit(isClean ? 0 : 1)
