import { expect } from 'chai'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

/** Longer than deleting may take. */
const LONG_MS = 20_000

describe('POST /session/delete', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.stop())

  const remove = (headers: Record<string, string>, body: object = {}) =>
    world.gateway.post('/session/delete', body, { ...admin, ...headers })
  const companions = ({ phone }: LinkedSession): { JID: string }[] =>
    world.gateway.service('sandbox').phones.get(phone.account.phone).view()['Companions'] as []
  const linked = async (name: string): Promise<LinkedSession> => {
    const session = await world.linked(await world.phone(name))
    expect(companions(session)).to.have.length(1)
    return session
  }

  it('finds a session by a token with the spaces that were removed at its creation', async () => {
    const Token = 'token with spaces in it'
    const tokenOf = (place: string): string => ` ${place} ${Token}`
    for (const place of ['header', 'body', 'query']) {
      const { data } = await world.gateway.post('/session/init', { Token: tokenOf(place) }, admin)
      expect(data.Token).to.equal(`${place}tokenwithspacesinit`)
      const spaced = tokenOf(place)
      expect((await world.gateway.get('/webhook', { token: spaced })).status, 'as any other call').to.equal(
        200,
      )
      const answer =
        place === 'header'
          ? await remove({ token: spaced })
          : place === 'body'
            ? await remove({}, { Token: spaced })
            : await world.gateway.call('POST', `/session/delete?token=${encodeURIComponent(spaced)}`, {
                headers: admin,
              })
      expect(answer.data, place).to.include({ Id: data.Id, Details: 'User deleted successfully' })
    }
  })

  it('says nothing about unlinking where no phone was linked', async () => {
    const { data } = await world.gateway.post('/session/init', {}, admin)
    expect((await remove({ token: data.Token })).data).to.not.have.any.keys('Unlinked', 'Warning')
  })

  it('unlinks the device of a session that is connected', async () => {
    const session = await linked('Connected')
    expect((await remove(session.headers)).data).to.include({ Unlinked: true })
    expect(companions(session)).to.deep.equal([])
  })

  it('connects a session that is disconnected, to unlink its device', async () => {
    const session = await linked('Disconnected')
    await session.post('/session/disconnect')
    const { data } = await remove(session.headers)
    expect(data).to.include({ Unlinked: true }).and.not.have.property('Warning')
    expect(companions(session)).to.deep.equal([])
  })

  it('deletes a session that the network does not let in, and says that its device stays', async () => {
    const session = await linked('Away')
    await session.post('/session/disconnect')
    world.fault({ Phone: session.phone.account.phone, Fault: 'failure', Code: 503 })
    const { data } = await remove(session.headers)
    expect(data).to.include({ Unlinked: false, Details: 'User deleted successfully' })
    expect(data.Warning).to.match(/^The device could not be unlinked: .+; remove it on the phone/)
    expect(companions(session)).to.have.length(1)
    expect(await session.get('/session/status')).to.include({ status: 401 })
  })

  it('waits for a silent network no longer than it takes to be sure', async () => {
    const [open, closed] = [await linked('Silent'), await linked('Silent and away')]
    await closed.post('/session/disconnect')
    world.fault({ Fault: 'silent' })
    const began = Date.now()
    const answers = await Promise.all([open, closed].map(({ headers }) => remove(headers)))
    world.fault({ Fault: 'clear' })
    for (const { data } of answers) expect(data).to.include({ Unlinked: false })
    expect(Date.now() - began).to.be.below(LONG_MS)
  })

  it('leaves a session alone that another gateway has taken over', async () => {
    const session = await linked('Replaced')
    world.fault({ Phone: session.phone.account.phone, Fault: 'replaced' })
    await session.status({ State: 'replaced' })
    const logins = world.counters()['logins']
    const { data } = await remove(session.headers)
    expect(data).to.include({ Unlinked: false })
    expect(data.Warning).to.include('another connection has taken its place')
    expect(world.counters()['logins']).to.equal(logins)
    expect(companions(session)).to.have.length(1)
  })

  it('has nothing to unlink where the phone did it before', async () => {
    const session = await linked('Unlinked')
    await session.phone.act({ Action: 'unlink', Companion: companions(session)[0]?.JID ?? '' })
    await session.status({ State: 'logged-out' })
    await eventually(() => companions(session).length === 0, 'unlinked')
    expect((await remove(session.headers)).data).to.not.have.any.keys('Unlinked', 'Warning')
  })
})
