import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { scriptOf } from '../../support/process.ts'

/** Logs at the given levels in a process of its own, which then does `last`. Resolves with the messages that it printed. */
async function lines(levels: string[], last: string): Promise<string[]> {
  const script = `
    const { createLog } = await import('./build/kernel/logging/log.js')
    const log = createLog({ level: 'info' })
    for (const level of ${JSON.stringify(levels)}) log[level](level)
    ${last}`
  const child = spawn(process.execPath, scriptOf(script), { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  await once(child, 'close')
  return printed
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).msg)
}

describe('standard output of the log', () => {
  const kill = "process.kill(process.pid, 'SIGKILL')"

  it('has every line when the process ends', async () => {
    expect(await lines(['info', 'info'], '')).to.deep.equal(['info', 'info'])
    expect(await lines(['info'], 'process.exit(1)')).to.deep.equal(['info'])
    const many = Array.from({ length: 5_000 }, () => 'info')
    expect(await lines(many, 'process.exit(1)'), 'more than a pipe holds').to.deep.equal(many)
  })

  it('has the last warning, and what came before it, when the process is killed', async () => {
    expect(await lines(['info', 'warn'], kill)).to.deep.equal(['info', 'warn'])
    expect(await lines(['info', 'error'], kill)).to.deep.equal(['info', 'error'])
  })

  it('keeps the order of lines of several logs', async () => {
    const more = `
      createLog({ level: 'info' }).warn('of another')
      log.info('after it')`
    expect(await lines(['info'], more)).to.deep.equal(['info', 'of another', 'after it'])
  })

  it('has a line of information soon after', async () => {
    expect(await lines(['info'], `setTimeout(() => ${kill}, 1000)`)).to.deep.equal(['info'])
  })
})
