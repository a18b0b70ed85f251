import { createRequire } from 'node:module'
import { createLocks } from './locks.ts'

/**
 * Replaces libsignal's job queue (src/queue_job.js), which runs the jobs of one address one after the other.
 * The stock one runs a job inside the loop, and so in the async context, of whichever call came first. Baileys
 * keeps its transactions in that context (Utils/auth-utils.js): when two accounts of one process write to the
 * same person, a job can land in a transaction that has ended, its ratchet step is never stored, and the next
 * message reuses the key: the recipient can't decrypt it. Here every job runs in the context of its own caller.
 *
 * Must run before libsignal is first loaded: it takes the function by value.
 */
export function mendJobs(): void {
  const require = createRequire(import.meta.url)
  const file = require.resolve('libsignal/src/queue_job.js')
  require(file)
  const loaded = require.cache[file]
  const locks = createLocks()
  if (loaded)
    loaded.exports = <T>(bucket: string, job: () => Promise<T>): Promise<T> => locks.run(bucket, job)
}
