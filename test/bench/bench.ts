/**
 * `npm run bench`: wamux beside raw Baileys, on the same network, in the same run (medians and ratios), then events
 * through the whole gateway to a webhook receiver. Takes half an hour; the defaults are below, `-- --only webhooks`
 * runs one part.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compareSends } from './sends.ts'
import { measureWebhooks } from './webhooks.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'sends,webhooks' },
    // Sends: how often all is measured; sessions that are linked; texts in a row, and as many 10 at once.
    runs: { type: 'string', default: '3' },
    sessions: { type: 'string', default: '100' },
    messages: { type: 'string', default: '500' },
    // Webhooks: events a second, and for how long; rows that wait when the gateway starts.
    rates: { type: 'string', default: '1000,3100' },
    seconds: { type: 'string', default: '60' },
    backlog: { type: 'string', default: '1000000' },
  },
})
const parts = values.only.split(',')
const numbers = (text: string): number[] => text.split(',').map(Number).filter(Boolean)
const [runs = 3, sessions = 100, messages = 500] = numbers(
  `${values.runs},${values.sessions},${values.messages}`,
)

const folder = mkdtempSync(join(tmpdir(), 'wamux-bench-'))
const print = (line: string): void => void process.stdout.write(`${line}\n`)
try {
  if (parts.includes('sends')) await compareSends({ runs, sessions, messages, folder, print })
  if (parts.includes('webhooks')) {
    const [seconds = 60] = numbers(values.seconds)
    const [backlog = 0] = numbers(values.backlog)
    await measureWebhooks({ rates: numbers(values.rates), seconds, backlog, folder, print })
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
