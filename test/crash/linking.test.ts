import { expect } from 'chai'
import { temporaryFolder } from '../support/databases.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import type { GatewayProcess } from '../support/process.ts'
import { isSweep, isWhole } from '../support/run/whole.ts'
import { killWhile, life, linkBy, ROWS, type Row, titleOf } from './linking.ts'

const ALWAYS = new Set([
  'by a pairing code, killed at link:code-finished',
  'by passkey after a pairing code, with a new secret in between, killed at link:passkey-requested',
])

/** All rows in a sweep, every fourth in the whole run. */
const isTried = (row: Row, index: number): boolean =>
  isSweep || (isWhole && index % 4 === 0) || ALWAYS.has(titleOf(row))

describe('a session that is linked', () => {
  let loose: LooseNetwork
  before(async () => {
    loose = await startNetwork()
  })
  after(() => loose.network.close())

  describe('in a gateway that lives', () => {
    let gateway: GatewayProcess
    before(async () => {
      gateway = await life(temporaryFolder(), loose)
    })
    after(() => gateway.end('SIGTERM'))

    const ways = new Map(ROWS.map(({ at: _at, ...row }): [string, Row] => [titleOf(row), row]))
    for (const [title, row] of ways)
      it(`is logged in: ${title}`, async () => {
        const session = await linkBy(row, loose, gateway)
        expect((await session.status({ LoggedIn: true })).Jid).to.equal(session.phone.account.jid)
      })
  })

  describe('is linked on both sides or on none', () => {
    it('in a table that has all rows of the short one', () => {
      expect(ROWS.map(titleOf)).to.include.members([...ALWAYS])
    })
    for (const row of ROWS.filter(isTried)) it(titleOf(row), () => killWhile(row, loose))
  })
})
