import { expect } from 'chai'
import { eventsOf } from '../../support/events/events.ts'
import { admin, sessionOf, startWorld, type World } from '../../support/world.ts'

describe('events of a session', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.stop())

  it('include the QR code as a picture that a phone can scan', async () => {
    const { data } = await world.gateway.post('/session/init', {}, admin)
    const session = sessionOf(world.gateway, data.Token, await world.phone('Shop'))
    const told = await eventsOf(session)
    await session.post('/session/connect')
    const { event, ...beside } = await told.wait('QR')
    expect(event).to.include({ event: 'code', expires: 60_000 })
    expect(event.code).to.include('2@')
    const { qrCodeBase64 } = beside as { qrCodeBase64?: string }
    expect(qrCodeBase64).to.match(/^data:image\/png;base64,/)
    await session.phone.scan(String(qrCodeBase64))
    await session.status({ LoggedIn: true })
    await told.close()
  })
})
