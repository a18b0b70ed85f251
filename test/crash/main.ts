/** `npm run crash -- --kills N --seed S [--stock]`: the crash loop at length, replayable by its seed. */
import { parseArgs } from 'node:util'

// The test's databases clean up after mocha; here the process ends with them.
Object.assign(globalThis, { after: () => undefined })
const { crashLoop } = await import('./crash.ts')
const { faultsOf } = await import('./evidence.ts')
const { buildOnce } = await import('../support/build.ts')

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
    stock: { type: 'boolean', default: false },
  },
})
buildOnce()
const kills = Number(values.kills)
const seed = Number(values.seed)
process.stdout.write(`${kills} kills, seed ${seed}\n`)
const report = await crashLoop({
  kills,
  seed,
  isStock: values.stock,
  onProgress: (line) => process.stdout.write(`${line}\n`),
})
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
const { retries } = report
const isClean = retries === 0 && Object.values(faultsOf(report)).every((list) => list.length === 0)
process.stdout.write(isClean ? '0 lost, 0 doubled\n' : `NOT CLEAN; again with --seed ${seed}\n`)
process.exit(isClean ? 0 : 1)
