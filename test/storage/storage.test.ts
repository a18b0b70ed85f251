import { temporaryFolder } from '../support/databases.ts'
import { sized, whole } from '../support/run/whole.ts'
import { expectNoDamage } from './report.ts'
import {
  badNetwork,
  failingDisk,
  fullDisk,
  postgresPrograms,
  restartedServer,
  type Trouble,
  terminatedConnections,
} from './troubles.ts'

const server = process.env['TEST_DATABASE_URL']
const programs = postgresPrograms()
const NETWORK_SECONDS = sized(60, 8)
const TROUBLE_SECONDS = sized(10, 3)
/** What a plain `npm test` leaves out: the signs of a failing disk and of a database that is away are tested elsewhere. */
const LONG = new Set([
  'a PostgreSQL server that is restarted, fast and immediate',
  'a disk whose reads and writes fail',
])

/** Each skipped where the machine can't make the trouble. */
const TROUBLES: Record<string, () => Promise<Trouble | undefined> | Trouble | undefined> = {
  'connections that PostgreSQL terminates': () => (server ? terminatedConnections(server) : undefined),
  'a PostgreSQL server that is restarted, fast and immediate': () =>
    programs ? restartedServer(programs) : undefined,
  'a file system that fills and empties': fullDisk,
  'a disk whose reads and writes fail': () => failingDisk(temporaryFolder()),
}

describe('storage in trouble', () => {
  /** It waits most of its time: the others run meanwhile. */
  let network: Promise<unknown> | undefined
  before(() => {
    if (server)
      network = badNetwork(server).then((trouble) =>
        expectNoDamage({ trouble, seconds: NETWORK_SECONDS, seed: 1 }),
      )
    // Its test reports the failure.
    network?.catch(() => undefined)
  })

  describe('under traffic both ways no message is lost or doubled by', function () {
    this.timeout(600_000)

    for (const [name, make] of Object.entries(TROUBLES)) {
      const run = LONG.has(name) ? whole.it : it
      run(name, async function () {
        const trouble = await make()
        if (!trouble) this.skip()
        await expectNoDamage({ trouble, seconds: TROUBLE_SECONDS, seed: 1 })
      })
    }
  })

  describe('a network that cuts, delays and refuses connections to PostgreSQL', function () {
    this.timeout(600_000)

    it(`costs no message and doubles none in ${NETWORK_SECONDS} seconds of traffic both ways`, async function () {
      if (!network) this.skip()
      await network
    })
  })
})
