import { expect } from 'chai'
import { presenceSenderOf } from '../../../../plugins/baileys/send/presence.ts'
import { createProbe } from '../../../support/probe.ts'
import { startWorld, type World } from '../../../support/world.ts'

describe('presence', () => {
  const probe = createProbe()
  let world: World
  before(async () => {
    world = await startWorld({ extra: [probe.plugin] })
  })
  after(() => world.stop())

  it('says in words of the gateway that the link ended before it was sent', async () => {
    const session = await world.linked(await world.phone('Shop'))
    const { wa } = await probe.socket(session)
    const show = presenceSenderOf(wa)
    await show('recording', wa.user?.id)
    await wa.ws.close()
    const error = await show('recording', wa.user?.id).catch((reason: unknown) => reason)
    expect(error).to.include({
      code: 'NETWORK_FAILED',
      message: 'Failed to show the presence: Connection Closed',
    })
  })
})
