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

  it('shows what a terminal would obey, in every place of a line', () => {
    const codes = [
      ...Array.from({ length: 0xa0 }, (_, code) => code).filter((code) => code < 0x20 || code >= 0x7f),
      ...[0x2028, 0x2029, 0x202a, 0x202d, 0x202e, 0x2066, 0x2069],
    ]
    const left = (text: string): number[] =>
      [...text].map((sign) => sign.charCodeAt(0)).filter((code) => codes.includes(code) && code !== 9)
    for (const code of codes) {
      const hostile = `a${String.fromCharCode(code)}b`
      const places = { msg: hostile, [hostile]: hostile, list: [hostile], inner: { [hostile]: hostile } }
      const made = textOf({ level: 50, ...places, err: { stack: `Error\n${hostile}` } })
      // Its own line breaks, and those of a stack.
      expect(
        left(made).filter((one) => one !== 10),
        made,
      ).to.deep.equal([])
      expect(made.split('\n')).to.have.length(code === 10 ? 5 : 4)
      const request = { method: hostile, path: hostile, status: 200, ms: 1, session: hostile }
      expect(left(textOf(request).trimEnd())).to.deep.equal([])
      expect(left(readable(`${hostile}\n`, false)).filter((one) => one !== 10)).to.deep.equal([])
    }
    expect(textOf({ msg: '\u001b]52;c;eA==\u0007\u009b2J' })).to.equal('  ␛]52;c;eA==␇<U+009B>2J\n')
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
