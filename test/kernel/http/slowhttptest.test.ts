import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify, stripVTControlCharacters } from 'node:util'
import { expect } from 'chai'
import server from '../../../plugins/server/index.ts'
import { startedGateway, type TestGateway } from '../../support/gateway.ts'
import { isWhole } from '../../support/run/whole.ts'

const TOOL = '/usr/bin/slowhttptest'
/** 200 connections at once, a little of each every second, at most 20 s; beside them one that sends a normal request. */
const ATTACK = ['-c', '200', '-r', '200', '-i', '1', '-p', '5', '-l', '20']

/** Its slow reading is not used: it does not notice that a connection was ended (floods.test.ts has that). */
describe('slowhttptest', () => {
  let gateway: TestGateway
  before(async function () {
    if (!existsSync(TOOL) && !isWhole) return this.skip()
    const clientTimeouts = { headers: 500, request: 1_500, answer: 1_000, leastRate: 64_000, check: 50 }
    gateway = await startedGateway({ plugins: [{ plugin: server }], clientTimeouts })
  })
  after(() => gateway?.stop())

  for (const [what, options] of [
    ['headers', ['-H']],
    ['bodies', ['-B', '-s', '8192']],
  ] as const) {
    it(`with slow ${what} keeps no connection open and serves other clients`, async () => {
      const url = `${gateway.url}/server/ok`
      const { stdout } = await promisify(execFile)(TOOL, [...ATTACK, ...options, '-u', url])
      const seen = [...stripVTControlCharacters(stdout).matchAll(/service available:\s*(\w+)/g)]
      expect(new Set(seen.map(([, answer]) => answer))).to.deep.equal(new Set(['YES']))
      expect(stdout).to.include('No open connections left')
      expect((await gateway.get('/server/ok')).status).to.equal(200)
    })
  }
})
