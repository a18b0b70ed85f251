import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../../config/load.ts'
import { everyEngine, temporaryFolder } from '../../support/databases.ts'
import { testGateway } from '../../support/gateway.ts'

for (const engine of everyEngine)
  describe(`the data folder of a gateway whose secrets come from elsewhere, on ${engine.name}`, () => {
    it('is created for its user alone, and the gateway becomes ready', async () => {
      const dataDir = join(temporaryFolder(), 'new', 'data')
      const { plugins } = await loadConfig({}, {})
      const gateway = testGateway({ plugins, ...engine.fresh(), dataDir })
      await gateway.start()
      expect(statSync(dataDir).mode & 0o777).to.equal(0o700)
      const { status, data } = await gateway.get('/server/ready')
      expect(data.Checks.filter(({ Ok }: { Ok: boolean }) => !Ok)).to.deep.equal([])
      expect(status).to.equal(200)
      await gateway.stop()
    })

    it('ends the start where it can not be created, and the error names it', async () => {
      const parent = join(temporaryFolder(), 'file')
      writeFileSync(parent, '')
      const dataDir = join(parent, 'data')
      const gateway = testGateway({ plugins: [], ...engine.fresh(), dataDir })
      const refusal = await gateway.start().then(
        () => new Error('it started'),
        (error: Error) => error,
      )
      expect(refusal).to.have.property('code', 'DATA_FOLDER')
      expect(refusal.message).to.include(`the data folder ${dataDir} can not be created: `)
      expect(existsSync(dataDir)).to.equal(false)
    })
  })
