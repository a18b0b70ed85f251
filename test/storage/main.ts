/**
 * `npm run storage -- --trouble network --minutes 30 --seed 1`: traffic on a storage that fails again and again,
 * replayable by its seed.
 */
import { parseArgs } from 'node:util'

// The test's databases clean up after mocha; here the process ends with them.
Object.assign(globalThis, { after: () => undefined })
const { buildOnce } = await import('../support/run/build.ts')
const { faultsOf } = await import('../crash/evidence.ts')
const { temporaryFolder } = await import('../support/databases.ts')
const { survive } = await import('./survive.ts')
const troubles = await import('./troubles.ts')

const server = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test'
const kinds = {
  network: () => troubles.badNetwork(server),
  terminate: () => troubles.terminatedConnections(server),
  restart: () => troubles.restartedServer(troubles.postgresPrograms() ?? ''),
  full: () => troubles.fullDisk(),
  eio: () => troubles.failingDisk(temporaryFolder()),
}

const { values } = parseArgs({
  options: {
    trouble: { type: 'string', default: 'network' },
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
  },
})
const kind = kinds[values.trouble as keyof typeof kinds]
if (!kind) throw new Error(`--trouble is one of ${Object.keys(kinds).join(', ')}`)
buildOnce()
const trouble = await kind()
if (!trouble) throw new Error(`${values.trouble} can't be made here: it needs root, or strace`)
const seed = Number(values.seed)
process.stdout.write(`${values.trouble} for ${values.minutes} minutes, seed ${seed}\n`)
const report = await survive({
  trouble,
  seconds: Number(values.minutes) * 60,
  seed,
  onProgress: (line) => process.stdout.write(`${line}\n`),
})
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
const { blows: _, answers: __, failures, ...rest } = report
const isClean = failures.length === 0 && Object.values(faultsOf(rest)).every((list) => list.length === 0)
process.stdout.write(isClean ? '0 lost, 0 doubled\n' : `NOT CLEAN; again with --seed ${seed}\n`)
process.exit(isClean ? 0 : 1)
