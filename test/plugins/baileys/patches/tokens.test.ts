import { expect } from 'chai'
import { type LinkedSession, startWorld, type World } from '../../../support/world.ts'

describe('tokens patch', () => {
  let world: World
  let session: LinkedSession
  before(async () => {
    world = await startWorld({ config: { baileys: { ackTimeoutMs: 2000 } } })
    session = await world.linked(await world.phone('Shop'))
  })
  after(() => world.stop())

  for (const Id of ['constructor', 'toString', '__proto__']) {
    it(`sends a message with the id ${Id} under that id`, async () => {
      const ana = await world.phone('Ana')
      const { status, data } = await session.post('/send/text', {
        Phone: ana.account.phone,
        Body: 'hello',
        Id,
      })
      expect({ status, Id: data?.Id }).to.deep.equal({ status: 200, Id })
      await ana.wait(({ id }) => id === Id)
    })
  }
})
