import { expect } from 'chai'
import { type LinkedSession, startWorld, type World } from '../../../support/world.ts'

describe('the logout of a session', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.stop())
  afterEach(() => world.fault({ Fault: 'clear' }))

  const linked = async () => world.linked(await world.phone('Shop'))
  const companions = ({ phone }: LinkedSession) =>
    world.gateway.service('sandbox').network.brief(phone.account).companions

  it('is answered before the network closes the link, also by a slow one', async () => {
    const session = await linked()
    world.fault({ Fault: 'delay', Phone: session.phone.account.phone, Ms: 300 })
    const { status, error } = await session.post('/session/logout')
    expect(status, error).to.equal(200)
    expect(companions(session)).to.deep.equal([])
  })

  it('is done if the network closes the link as removed, and has not answered', async () => {
    const session = await linked()
    world.fault({ Fault: 'hastyLogout' })
    const { status, error } = await session.post('/session/logout')
    expect(status, error).to.equal(200)
    expect(companions(session)).to.deep.equal([])
  })
})
