/** `npm run flapping -- --minutes 20 --seed 1`: traffic on a network that comes and goes, replayable by its seed. */
import { parseArgs } from 'node:util'

// The test's databases clean up after mocha; here the process ends with them.
Object.assign(globalThis, { after: () => undefined })
const { buildOnce } = await import('../support/run/build.ts')
const { flap } = await import('./flapping.ts')
const { damageOf, figuresOf } = await import('./report.ts')

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
  },
})
buildOnce()
const seed = Number(values.seed)
process.stdout.write(`${values.minutes} minutes, seed ${seed}\n`)
const report = await flap({
  seconds: Number(values.minutes) * 60,
  seed,
  onProgress: (line) => process.stdout.write(`${line}\n`),
})
const damage = Object.entries(damageOf(report)).filter(([, list]) => list.length > 0)
for (const [name, list] of damage) process.stdout.write(`${name}: ${list.slice(0, 20).join('; ')}\n`)
process.stdout.write(`answers: ${report.answers.join('; ')}\n${figuresOf(report)}\n`)
process.stdout.write(damage.length === 0 ? 'clean\n' : `NOT CLEAN; again with --seed ${seed}\n`)
process.exit(damage.length === 0 ? 0 : 1)
