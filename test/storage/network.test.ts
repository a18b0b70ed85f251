import { expectNoDamage } from './report.ts'
import { badNetwork } from './troubles.ts'

describe('a network that cuts, delays and refuses connections to PostgreSQL', function () {
  this.timeout(600_000)

  it('costs no message and doubles none in a minute of traffic both ways', async function () {
    const server = process.env['TEST_DATABASE_URL']
    if (!server) this.skip()
    await expectNoDamage({ trouble: await badNetwork(server), seconds: 60, seed: 1 })
  })
})
