/** `npm run fuzz`: more of what fuzz.test.ts does. `-- --seed 1 --requests 100 --only /send/text` */
import { parseArgs } from 'node:util'

// The support files hand their cleaning up to mocha, which doesn't run here.
const cleaning: (() => unknown)[] = []
Object.assign(globalThis, { after: (clean: () => unknown) => cleaning.push(clean) })
const { fuzz } = await import('./run.ts')

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    requests: { type: 'string', default: '8000' },
    only: { type: 'string', default: '' },
  },
})
const { seed, requests, only } = values
const print = (line: string): void => void process.stdout.write(`${line}\n`)

print(`--seed ${seed} --requests ${requests}`)
const report = await fuzz({
  seed: Number(seed),
  requests: Number(requests),
  ...(only ? { only } : {}),
  onProgress: print,
})
for (const clean of cleaning) await clean()
const counts = [...report.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
print(`${report.requests} requests to ${report.routes} routes; answers by status: ${counts.join(', ')}`)
print(`slowest: ${report.slowest.ms} ms, ${report.slowest.route}`)
print(`memory: ${report.growth} bytes more a request`)
print(report.failures.length === 0 ? 'nothing broke' : report.failures.join('\n'))
process.exit(report.failures.length === 0 ? 0 : 1)
