/**
 * `npm run cluster -- --kills N --seed S`: nodes of a cluster die under traffic, replayable by the seed. `--report FILE`
 * keeps what is done, so that a run that was interrupted goes on. See kernel/docs/scaling-out.md.
 */
import { parseArgs } from 'node:util'

// The test's databases clean up after mocha; here the process ends with them.
Object.assign(globalThis, { after: () => undefined })
const { clusterLoop } = await import('./cluster.ts')
const { FAULTS } = await import('./faults.ts')
const { openResults, roundsOf, summary } = await import('./report.ts')
const { dropDatabases } = await import('../support/databases.ts')
const { buildOnce } = await import('../support/run/build.ts')
type FaultName = import('./faults.ts').FaultName
type Finished = import('./report.ts').Finished

const faults = Object.keys(FAULTS) as FaultName[]
const text = { type: 'string' } as const
const { values } = parseArgs({
  options: {
    ...Object.fromEntries(faults.map((fault) => [`${fault}s`, text])),
    seed: { ...text, default: '1' },
    nodes: { ...text, default: '3' },
    sessions: { ...text, default: '4' },
    lease: { ...text, default: '15000' },
    round: { ...text, default: '25' },
    report: text,
  },
})
const options = values as Record<string, string | undefined>
const number = (name: string): number => Number(options[name] ?? 0)
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const results = openResults(options['report'])
const asked = faults.map((fault) => ({ fault, times: number(`${fault}s`) })).filter(({ times }) => times > 0)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
buildOnce()
const lines: string[] = []
let isClean = true
for (const { fault, times } of asked.length > 0 ? asked : [{ fault: 'kill' as const, times: 20 }]) {
  const run = { fault, times, seed: number('seed'), leaseMs: number('lease') }
  const rounds = roundsOf({ ...run, nodes: number('nodes'), sessions: number('sessions') }, number('round'))
  const finished: Finished[] = []
  for (const [index, round] of rounds.entries()) {
    const known = results.find(round)
    print(`round ${index + 1} of ${rounds.length}: ${round.times} × ${fault}, seed ${round.seed}`)
    const done = known ?? { ...round, report: await clusterLoop({ ...round, onProgress: print }) }
    if (!known) results.add(done)
    finished.push(done)
    const { line, wrong } = summary([done])
    print(`${known ? 'done before: ' : ''}${line}`)
    for (const one of wrong) print(JSON.stringify(one, null, 2))
    for (const bug of done.report.bugs.slice(0, 5)) print(bug.slice(0, 400))
  }
  const { line, wrong } = summary(finished)
  lines.push(line)
  isClean &&= wrong.length === 0
}
await dropDatabases()
print(`\n${lines.join('\n')}`)
print(isClean ? '0 lost, 0 doubled' : 'NOT CLEAN')
process.exit(isClean ? 0 : 1)
