import { expect } from 'chai'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, sessionOf, startWorld, type World } from '../../support/world.ts'

for (const engine of engines) {
  describe(`sessions on ${engine.name}`, () => {
    let world: World
    before(async () => {
      world = await startWorld({}, engine)
    })
    after(() => world.stop())

    const init = async (fields: Record<string, unknown> = {}) =>
      (await world.gateway.post('/session/init', fields, admin)).data

    it('are created and listed, and refused for a token that exists', async () => {
      const row = await init({ Name: 'shop', Token: ' my very own session token ', Os: 'Shop PC' })
      expect(row).to.include({
        Name: 'shop',
        Token: 'myveryownsessiontoken',
        Os: 'Shop PC',
        webhook: '',
        JID: '',
      })
      const twin = await world.gateway.post('/session/init', { Token: 'myveryownsessiontoken' }, admin)
      expect(twin).to.include({ status: 409, error: 'Session already exists' })
      const { data } = await world.gateway.get('/session/all', admin)
      expect(data.map((one: { Token: string }) => one.Token)).to.include('myveryownsessiontoken')
    })

    it('accept a token of any length, and warn about a short one', async () => {
      const row = await init({ Token: ' only15characte r ' })
      expect(row.Token).to.equal('only15character')
      expect(row.Warning).to.match(/fewer than 16 characters/)
      expect(await world.gateway.get('/webhook', { token: 'only15character' })).to.include({ status: 200 })
      const warned = world.gateway.lines.filter((line) => line.includes('fewer than 16 characters'))
      expect(warned).to.have.length(1)
      expect(warned[0]).to.include('"level":40').and.include(row.Id).and.not.include('only15')
      expect(await init({ Token: 'exactly16charact' })).to.not.have.property('Warning')
      expect(await init({ Token: ' ' })).to.not.have.property('Warning')
    })

    it('are renamed and labelled, by their token or by the admin, and listed by label', async () => {
      const { Id, Token: token } = await init({ Name: 'old', Labels: { customer: 'acme', tier: 'gold:1' } })
      const { gateway } = world
      const listed = async (query: string) =>
        (await gateway.get(`/session/all?${query}`, admin)).data.map((one: { Id: string }) => one.Id)
      expect(await listed('label=customer:acme')).to.deep.equal([Id])
      expect(await listed('label=customer&label=tier:gold:1')).to.deep.equal([Id])
      expect(await listed('label=customer:ac')).to.deep.equal([])
      expect(await listed('label=constructor')).to.deep.equal([])
      const renamed = await gateway.post('/session/update', { Name: 'new' }, { token })
      expect(renamed.data).to.deep.equal({ Id, Name: 'new', Labels: { customer: 'acme', tier: 'gold:1' } })
      const labelled = await gateway.post(`/session/${Id}/update`, { Labels: { a: '1' } }, admin)
      expect(labelled.data).to.deep.equal({ Id, Name: 'new', Labels: { a: '1' } })
      expect(await gateway.post('/session/none/update', {}, admin)).to.include({ status: 404 })
      const many = Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`l${at}`, 'x']))
      for (const Labels of [many, { 'no spaces': 'x' }, { long: 'x'.repeat(257) }, { number: 1 }, ['a']]) {
        const refused = await gateway.post('/session/update', { Labels }, { token })
        expect(refused.error, JSON.stringify(Labels)).to.match(/Labels/)
        expect(refused.status).to.equal(400)
      }
      expect((await gateway.post('/session/update', { Labels: {} }, { token })).data.Labels).to.deep.equal({})
    })

    it('answer in the order invalid token, No session, not logged in', async () => {
      const { Token: token } = await init()
      const { gateway } = world
      expect(await gateway.get('/session/status', { token: 'x' })).to.include({
        status: 401,
        error: 'invalid token',
      })
      expect(await gateway.get('/session/status', { token })).to.include({ status: 409, error: 'No session' })
      expect(await gateway.get('/session/qr', { token })).to.include({ status: 409, error: 'No session' })
      await gateway.post('/session/connect', { Immediate: false }, { token })
      const sent = await gateway.post('/send/text', { Phone: '5511999999999', Body: 'x' }, { token })
      expect(sent).to.include({ status: 409, error: 'not logged in' })
      await gateway.post('/session/disconnect', {}, { token })
      expect(await gateway.get('/session/status', { token })).to.include({ status: 409, error: 'No session' })
    })

    it('link by the QR picture, and show no QR code afterwards', async () => {
      const phone = await world.phone('Ana')
      const session = await world.linked(phone)
      const status = await session.status({ Connected: true, LoggedIn: true, State: 'open' })
      expect(status.Jid).to.equal(phone.account.jid)
      expect(await session.get('/session/qr')).to.include({ status: 409, error: 'Already Loggedin' })
      const pair = await session.post('/session/pair', { Phone: phone.account.phone })
      expect(pair).to.include({ status: 409, error: 'Already paired' })
      const { data } = await world.gateway.post('/session/scanned', {}, admin)
      expect(data.map(({ JID }: { JID: string }) => JID)).to.include(phone.account.jid)
    })

    it('link by a pairing code, also after a wrong one', async () => {
      const phone = await world.phone('Bea')
      const { Token: token } = await init()
      const { data } = await world.gateway.post(
        '/session/pair',
        { Phone: `+${phone.account.phone}` },
        { token },
      )
      expect(data.LinkingCode)
        .to.match(/^[0-9A-Z]{8}$/)
        .and.equal(data.PairingCode)
      const wrong = data.LinkingCode === 'AAAAAAAA' ? 'BBBBBBBB' : 'AAAAAAAA'
      const refused = await world.gateway.post(
        `/sandbox/phones/${phone.account.phone}/pair`,
        { Code: wrong },
        admin,
      )
      expect(refused.success).to.equal(false)
      const { data: again } = await world.gateway.post(
        '/session/pair',
        { Phone: phone.account.phone },
        { token },
      )
      await phone.pair(again.LinkingCode)
      await sessionOf(world.gateway, token, phone).status({ LoggedIn: true })
    })

    it('stay linked after disconnect, and are unlinked by logout', async () => {
      const phone = await world.phone('Caio')
      const session = await world.linked(phone)
      expect(await session.post('/session/disconnect')).to.include({ success: true })
      await session.post('/session/connect', { Immediate: false })
      await session.status({ LoggedIn: true })
      expect(await session.post('/session/logout')).to.include({ success: true })
      await eventually(() => companions(world, phone.account.phone).length === 0, 'unlinked')
      expect(await session.post('/send/text', { Phone: '1234567', Body: 'x' })).to.include({
        status: 409,
        error: 'not logged in',
      })
      await session.post('/session/connect', { Immediate: false })
      expect((await session.get('/session/qr')).data.QRCode).to.match(/^data:image\/png;base64,/)
    })

    it('are deleted with all their data', async () => {
      const phone = await world.phone('Davi')
      const session = await world.linked(phone)
      expect(await world.gateway.post('/session/delete', {}, admin)).to.include({
        status: 400,
        error: 'Missing Token in Payload',
      })
      const gone = await world.gateway.post('/session/delete', {}, { ...admin, ...session.headers })
      expect(gone.data).to.include({ JID: phone.account.jid, Details: 'User deleted successfully' })
      expect(await session.get('/session/status')).to.include({ status: 401, error: 'invalid token' })
      await eventually(() => companions(world, phone.account.phone).length === 0, 'unlinked')
      expect(await world.gateway.post('/session/delete', {}, { ...admin, ...session.headers })).to.include({
        status: 404,
      })
    })

    it('are logged out, with an event, when the phone unlinks them', async () => {
      const phone = await world.phone('Eva')
      const session = await world.linked(phone)
      const [companion] = companions(world, phone.account.phone)
      await phone.act({ Action: 'unlink', Companion: companion?.JID ?? '' })
      await session.status({ LoggedIn: false, State: 'logged-out' })
      expect(await session.post('/send/text', { Phone: '1234567', Body: 'x' })).to.include({
        status: 409,
        error: 'not logged in',
      })
    })

    it('do not reconnect after being replaced', async () => {
      const session = await world.linked(await world.phone('Flo'))
      world.fault({ Phone: session.phone.account.phone, Fault: 'replaced' })
      await session.status({ State: 'replaced', LoggedIn: false })
    })

    it('reconnect after the connection is lost', async () => {
      const session = await world.linked(await world.phone('Gil'))
      const logins = world.counters()['logins'] ?? 0
      world.fault({ Phone: session.phone.account.phone, Fault: 'drop' })
      await eventually(() => (world.counters()['logins'] ?? 0) > logins, 'logged in')
      await session.status({ LoggedIn: true })
    })

    it('reconnect as soon after the eighth loss of a link that served as after the first', async () => {
      const session = await world.linked(await world.phone('Hal'))
      const friend = await world.phone('Ida')
      const before = waitsOf(world).length
      for (let losses = 1; losses <= 8; losses += 1) {
        const opened = performance.now()
        // A link serves when it is open for longer than the first wait, 20 ms here.
        while (performance.now() - opened < 25)
          await session.post('/send/text', { Phone: friend.account.phone, Body: `before ${losses}` })
        await lose(world, session)
      }
      // The eighth in a row would be up to 500 ms.
      const waits = waitsOf(world).slice(before)
      expect(Math.max(...waits), `ms: ${waits}`).to.be.at.most(20)
    })
  })
}

describe('a link that the network closes as soon as it is open', () => {
  it('is opened again after longer and longer waits', async () => {
    const first = 500
    const world = await startWorld({ reconnect: { first, most: 60_000 } })
    const session = await world.linked(await world.phone('Joe'))
    // On a busy machine a link may be open for longer than the first wait.
    for (let losses = 0; losses < 40 && Math.max(...waitsOf(world)) <= first; losses += 1)
      await lose(world, session)
    expect(Math.max(...waitsOf(world)), `ms: ${waitsOf(world)}`).to.be.above(first)
    await world.stop()
  })
})

describe('a link that the network cuts while it is logging in', () => {
  it('is opened again as soon after the sixth time as after the first, where the network had answered for a while', async () => {
    const first = 300
    const world = await startWorld({ reconnect: { first, most: 60_000 } })
    const session = await world.linked(await world.phone('Kim'))
    const fault = (Fault: string, Ms = 0) =>
      world.fault({ Phone: session.phone.account.phone, Fault, ...(Ms ? { Ms } : {}) })
    const lastStanza = async () => (await session.get('/session/status')).data.LastStanza
    // Its first answer comes after the first wait, and the link is open only after several.
    fault('delay', first + 100)
    for (let cuts = 1; cuts <= 6; cuts += 1) {
      const logins = world.counters()['logins'] ?? 0
      fault('drop')
      await eventually(() => (world.counters()['logins'] ?? 0) > logins, 'logged in again')
      const from = Date.now()
      await eventually(async () => Date.parse(await lastStanza()) > from + first, 'answered for a while')
    }
    // The first cut may come before the link has been open for that long.
    const waits = waitsOf(world).slice(1)
    expect(Math.max(...waits), `ms: ${waits}`).to.be.at.most(first)
    await world.stop()
  })
})

/** Drops the link of a session; resolves when it has another one. */
async function lose(world: World, session: LinkedSession): Promise<void> {
  const before = waitsOf(world).length
  world.fault({ Phone: session.phone.account.phone, Fault: 'drop' })
  await eventually(() => waitsOf(world).length > before, 'lost')
  await session.status({ LoggedIn: true })
}

/** Milliseconds before each attempt to open a lost link again, of every session. */
function waitsOf({ gateway }: World): number[] {
  return gateway.lines
    .map((line) => JSON.parse(line))
    .filter(({ msg, reason }) => msg === 'session closed' && reason === 'lost')
    .map(({ retryIn }) => retryIn)
}

function companions(world: World, phone: string): { JID: string }[] {
  const view = world.gateway.service('sandbox').phones.get(phone).view()
  return view['Companions'] as { JID: string }[]
}

describe('allowWeakTokens: false', () => {
  it('refuses a weak token', async () => {
    const world = await startWorld({ allowWeakTokens: false })
    const refused = await world.gateway.post('/session/init', { Token: 'only15characte r' }, admin)
    expect(refused).to.include({ status: 400 })
    expect(refused.error).to.equal('Invalid Token: must have at least 16 characters without spaces')
    const { data } = await world.gateway.get('/session/all', admin)
    expect(data.map((one: { Token: string }) => one.Token)).not.to.include('only15character')
    await world.stop()
  })
})
