import '../../../../plugins/baileys/baileys.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire } from 'node:module'
import { expect } from 'chai'

const queue = createRequire(import.meta.url)('libsignal/src/queue_job.js') as <T>(
  bucket: string,
  job: () => Promise<T>,
) => Promise<T>

describe('jobs patch', () => {
  it('runs the jobs of one address one after the other, each in the async context of its caller', async () => {
    const context = new AsyncLocalStorage<string>()
    const seen: string[] = []
    const job = async (): Promise<void> => {
      seen.push(`${context.getStore()} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(`${context.getStore()} ends`)
    }
    await Promise.all(['first', 'second'].map((name) => context.run(name, () => queue('peer', job))))
    context.disable()
    expect(seen).to.deep.equal(['first begins', 'first ends', 'second begins', 'second ends'])
  })
})
