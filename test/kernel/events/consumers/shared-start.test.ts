import { expect } from 'chai'
import { everyEngine } from '../../../support/databases.ts'
import { createTestRunner } from '../../../support/events/consumers.ts'
import { openEventLog } from '../../../support/events/event-log.ts'

describe('a consumer that several processes start at once', () => {
  for (const engine of everyEngine)
    it(`starts at one place of the log in all of them, on ${engine.name}`, async () => {
      const opened = await openEventLog(engine)
      const { database } = opened
      const reader = { name: 'x', batch: 10, handle: async () => undefined }
      const all = Array.from({ length: 4 }, () => createTestRunner(opened))
      await Promise.all(all.map((consumers) => consumers.start(reader)))
      expect(await database.read('consumers').where({ consumer: 'x' })).to.have.length(1)
      await Promise.all(all.map((consumers) => consumers.stop()))
      await database.close()
    })
})
