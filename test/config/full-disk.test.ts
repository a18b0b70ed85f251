import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { fill } from '../storage/troubles.ts'
import { temporaryFolder } from '../support/databases.ts'
import { ADMIN, KEYS } from '../support/gateway.ts'
import { startProcess } from '../support/process.ts'

describe('a disk that is full when the gateway starts', () => {
  const dataDir = temporaryFolder()
  const filler = join(dataDir, 'filler')
  let isMounted = false
  before(function () {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', dataDir], { stdio: 'ignore' })
      isMounted = true
    } catch {
      // Only root may mount; there is no other small disk to fill.
      this.skip()
    }
  })
  after(() => {
    if (isMounted) execFileSync('umount', ['-l', dataDir])
  })
  beforeEach(() => fill(filler))

  /** What the process writes when it does not start. */
  const refusal = (env: Record<string, string> = {}): Promise<string> =>
    startProcess({ WAMUX_DATA_DIR: dataDir, ...env }).then(
      async (gateway) => `started, ${await gateway.end('SIGKILL')}`,
      (error: Error) => error.message,
    )
  async function starts(env: Record<string, string> = {}): Promise<void> {
    rmSync(filler)
    const gateway = await startProcess({ WAMUX_DATA_DIR: dataDir, ...env })
    expect(await gateway.get('/server/ok')).to.include({ status: 200 })
    expect(await gateway.end('SIGTERM')).to.equal(0)
  }

  for (const [file, given] of Object.entries({
    'admin-token': { WAMUX_ADMIN_TOKEN: '', WAMUX_KEYS: KEYS },
    'master-key': { WAMUX_ADMIN_TOKEN: ADMIN },
  })) {
    it(`leaves no empty ${file}, and says that there is no room for it`, async () => {
      const words = await refusal(given)
      expect(words).to.match(new RegExp(`${file} can not be written: ENOSPC`))
      expect(words).to.not.match(/^\s+at /m)
      expect(readdirSync(dataDir)).to.deep.equal(['filler'])
    })
  }

  it('says so of the database too, and not that another process uses it', async () => {
    const env = { WAMUX_KEYS: KEYS }
    await starts(env)
    for (const isNew of [false, true]) {
      if (isNew) for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name))
      fill(filler)
      const words = await refusal(env)
      expect(words).to.match(/wamux\.sqlite: the disk is full; free some space \(SQLITE_FULL\)/)
      expect(words).to.not.match(/another wamux process|optional|^\s+at /m)
    }
    await starts(env)
    expect(existsSync(join(dataDir, 'wamux.sqlite'))).to.equal(true)
  })
})
