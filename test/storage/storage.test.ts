import { temporaryFolder } from '../support/databases.ts'
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

/** Each skipped where the machine can't make the trouble. */
const TROUBLES: Record<
  string,
  { seconds: number; make(): Promise<Trouble | undefined> | Trouble | undefined }
> = {
  'connections that PostgreSQL terminates': {
    seconds: 10,
    make: () => (server ? terminatedConnections(server) : undefined),
  },
  'a PostgreSQL server that is restarted, fast and immediate': {
    seconds: 15,
    make: () => (programs ? restartedServer(programs) : undefined),
  },
  'a file system that fills and empties': { seconds: 10, make: fullDisk },
  'a disk whose reads and writes fail': { seconds: 10, make: () => failingDisk(temporaryFolder()) },
}

describe('storage in trouble', () => {
  /** It waits most of its minute: the others run meanwhile. */
  let minute: Promise<unknown> | undefined
  before(() => {
    if (server)
      minute = badNetwork(server).then((trouble) => expectNoDamage({ trouble, seconds: 60, seed: 1 }))
    // Its test reports the failure.
    minute?.catch(() => undefined)
  })

  describe('under traffic both ways no message is lost or doubled by', function () {
    this.timeout(600_000)

    for (const [name, { seconds, make }] of Object.entries(TROUBLES)) {
      it(name, async function () {
        const trouble = await make()
        if (!trouble) this.skip()
        await expectNoDamage({ trouble, seconds, seed: 1 })
      })
    }
  })

  describe('a network that cuts, delays and refuses connections to PostgreSQL', function () {
    this.timeout(600_000)

    it('costs no message and doubles none in a minute of traffic both ways', async function () {
      if (!minute) this.skip()
      await minute
    })
  })
})
