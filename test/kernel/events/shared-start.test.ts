import { expect } from 'chai'
import { createConsumers } from '../../../kernel/events/consumers.ts'
import { engines } from '../../support/databases.ts'
import { openEventLog, silent } from './open-log.ts'

describe('a consumer that several processes start at once', () => {
  for (const engine of engines)
    it(`starts at one place of the log in all of them, on ${engine.name}`, async () => {
      const { database, writer, log } = await openEventLog(engine)
      const reader = { name: 'x', batch: 10, handle: async () => undefined }
      const all = Array.from({ length: 4 }, () => createConsumers(database, writer, log, silent))
      await Promise.all(all.map((consumers) => consumers.start(reader)))
      expect(await database.read('cursors').where({ consumer: 'x' })).to.have.length(1)
      await Promise.all(all.map((consumers) => consumers.stop()))
      await database.close()
    })
})
