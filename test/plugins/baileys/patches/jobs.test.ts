import '../../../../plugins/baileys/baileys.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../../../support/databases.ts'
import { scriptOf } from '../../../support/process.ts'

const queue = createRequire(import.meta.url)('libsignal/src/queue_job.js') as <T>(
  bucket: string,
  job: () => Promise<T>,
) => Promise<T>

/** As that of OpenTelemetry. */
const HOOK = `
  const { Module } = require('node:module')
  const load = Module.prototype.require
  const first = new Map()
  Module.prototype.require = function (id) {
    const file = Module._resolveFilename(id, this)
    if (!first.has(file)) first.set(file, load.call(this, id))
    return first.get(file)
  }`

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

  it('holds where a hook of require keeps what each module exported at first', () => {
    const hook = join(temporaryFolder(), 'hook.cjs')
    writeFileSync(hook, HOOK)
    const script = `
      const { patchJobs, verifyJobs } = await import('./build/plugins/baileys/patches/jobs.js')
      patchJobs()
      console.log(await verifyJobs())`
    const args = ['--require', hook, ...scriptOf(script)]
    expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).to.equal('true\n')
  })
})
