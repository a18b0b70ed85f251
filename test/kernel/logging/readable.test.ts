import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { readable } from '../../../kernel/logging/readable.ts'
import { scriptOf } from '../../support/process.ts'

const run = promisify(execFile)
const line = (more: object): string =>
  `${JSON.stringify({ level: 30, time: '2026-11-26T12:00:00.000Z', ...more })}\n`
/** Without the time, which is local. */
const textOf = (more: object): string => readable(line(more), false).slice('12:00:00'.length)

describe('a readable line of the log', () => {
  it('has the text, and the other fields behind it', () => {
    expect(textOf({ msg: 'gateway listening', port: 8080, host: '127.0.0.1' })).to.equal(
      '  gateway listening  port=8080 host=127.0.0.1\n',
    )
    expect(textOf({ level: 40, msg: 'slow', reason: 'no answer' })).to.equal(
      '  warn  slow  reason="no answer"\n',
    )
  })

  it('has a request in the order of a request', () => {
    const request = { request: 'id', session: 's1', method: 'POST', path: '/send/text', status: 200, ms: 12 }
    expect(textOf({ ...request, msg: 'request' })).to.equal('  POST /send/text 200 in 12 ms  session=s1\n')
  })

  it('has the stack of an error on lines of its own', () => {
    const err = { type: 'Error', message: 'no power', stack: 'Error: no power\n    at here' }
    expect(textOf({ level: 50, err, msg: 'failed' })).to.equal(
      '  error  failed\nError: no power\n    at here\n',
    )
  })

  it('leaves a line alone that is no JSON', () => {
    expect(readable('Debugger attached\n', false)).to.equal('Debugger attached\n')
  })

  describe('on standard output', () => {
    const script = (format: string): string => `
      const { createLog } = await import('./build/kernel/logging/log.js')
      createLog({ level: 'info', format: '${format}' }).warn({ part: 'sample' }, 'said')`
    const printed = async (command: string, args: readonly string[]): Promise<string> =>
      (await run(command, args, { env: { PATH: process.env['PATH'], TERM: 'xterm' } })).stdout

    it('is JSON in a pipe, and text where that is chosen', async () => {
      expect(JSON.parse(await printed(process.execPath, scriptOf(script('auto'))))).to.include({
        msg: 'said',
      })
      const text = await printed(process.execPath, scriptOf(script('text')))
      expect(text).to.match(/^\d\d:\d\d:\d\d {2}warn {2}said {2}part=sample\n$/)
    })

    it('is coloured text at a terminal', async function () {
      if (!existsSync('/usr/bin/script')) return this.skip()
      const quoted = [process.execPath, ...scriptOf(script('auto'))].map(
        (part) => `'${part.replaceAll("'", `'\\''`)}'`,
      )
      const text = await printed('/usr/bin/script', ['-qec', quoted.join(' '), '/dev/null'])
      expect(text).to.include('\u001b[33mwarn\u001b[0m').and.include('said').and.not.include('"msg"')
    })
  })
})
