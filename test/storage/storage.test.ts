import { temporaryFolder } from '../support/databases.ts'
import { expectNoDamage } from './report.ts'
import {
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
