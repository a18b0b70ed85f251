/**
 * `npm run crash -- --kills N --seed S [--engine postgres] [--stock]`: the crash loop at length, replayable by its seed.
 * PostgreSQL is that of TEST_DATABASE_URL.
 */
import { parseArgs } from 'node:util'

// The test's databases clean up after mocha; here the process ends with them.
Object.assign(globalThis, { after: () => undefined })
const { crashLoop } = await import('./crash.ts')
const { faultsOf } = await import('./evidence.ts')
const { buildOnce } = await import('../support/run/build.ts')
const { createPostgres } = await import('../support/servers/postgres.ts')

const SERVER = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
    engine: { type: 'string', default: 'sqlite' },
    stock: { type: 'boolean', default: false },
  },
})
buildOnce()
const kills = Number(values.kills)
const seed = Number(values.seed)
if (!['sqlite', 'postgres'].includes(values.engine)) throw new Error('engines are sqlite, postgres')
const database = values.engine === 'postgres' ? await createPostgres(SERVER) : undefined
process.stdout.write(`${kills} kills, seed ${seed}, ${values.engine}\n`)
const report = await crashLoop({
  kills,
  seed,
  isStock: values.stock,
  databaseUrl: database?.url,
  onProgress: (line) => process.stdout.write(`${line}\n`),
})
await database?.drop()
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
const { retries } = report
const isClean = retries === 0 && Object.values(faultsOf(report)).every((list) => list.length === 0)
process.stdout.write(isClean ? '0 lost, 0 doubled\n' : `NOT CLEAN; again with --seed ${seed}\n`)
process.exit(isClean ? 0 : 1)
