import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire, Module } from 'node:module'
import { createKeyedQueue } from 'wamux/plugin'

const require = createRequire(import.meta.url)
const FILE = require.resolve('libsignal/src/queue_job.js')

/**
 * Replaces libsignal's job queue (src/queue_job.js), which runs the jobs of one address one after the other. The original
 * runs a job inside the loop, and so in the async context, of the first caller. Stock Baileys keeps its transactions in
 * that context (Utils/auth-utils.js): if two accounts of one process write to the same person, a job can run in a
 * transaction that has ended; its ratchet step is never stored, and the next message reuses the key, so that the recipient
 * can't decrypt it. Here every job runs in the context of its own caller.
 *
 * Apply it before libsignal is first loaded, because libsignal copies the function. The original is never loaded: hooks of
 * `require`, for example OpenTelemetry's, keep a module's first exports.
 */
export function patchJobs(): void {
  const jobs = createKeyedQueue()
  const own = new Module(FILE)
  own.exports = <T>(bucket: string, job: () => Promise<T>): Promise<T> => jobs.run(bucket, job)
  own.loaded = true
  require.cache[FILE] = own
}

/** Two jobs of one address, queued in two contexts: each runs in its own. */
export async function verifyJobs(): Promise<boolean> {
  const queue = require(FILE) as (bucket: string, job: () => Promise<unknown>) => Promise<unknown>
  const context = new AsyncLocalStorage<string>()
  const run = (name: string): Promise<unknown> =>
    context.run(name, () => queue('wamux self-test', async () => context.getStore()))
  const seen = await Promise.all([run('first'), run('second')])
  context.disable()
  return seen.join() === 'first,second'
}
