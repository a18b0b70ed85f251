import { expect } from 'chai'
import { eventually } from '../../support/eventually.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

describe('each session endpoint', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.stop())

  const init = async (fields: object = {}): Promise<string> =>
    (await world.gateway.post('/session/init', fields, admin)).data.Token
  const companions = ({ account }: LinkedSession['phone']): { JID: string; Online: boolean }[] =>
    world.gateway.service('sandbox').phones.get(account.phone).view()['Companions'] as never

  shows('POST /session/init', 'creates a session that can be linked', async () => {
    const token = await init({ Name: 'made' })
    const phone = await world.phone('Init')
    await world.gateway.post('/session/connect', { Immediate: false }, { token })
    await phone.scan((await world.gateway.get('/session/qr', { token })).data.QRCode)
    await eventually(() => companions(phone).length === 1, 'linked')
  })
  refuses('POST /session/init', 'a token that exists already', async () => {
    const token = await init()
    const before = (await world.gateway.get('/session/all', admin)).data.length
    expect(await world.gateway.post('/session/init', { Token: token }, admin)).to.include({ status: 409 })
    expect((await world.gateway.get('/session/all', admin)).data).to.have.length(before)
  })

  shows('POST /session/connect', 'reconnects a linked companion without a code', async () => {
    const session = await world.linked(await world.phone('Connect'))
    await session.post('/session/disconnect')
    await eventually(() => companions(session.phone)[0]?.Online === false, 'off line')
    expect(await session.post('/session/connect', { Immediate: false })).to.include({ status: 200 })
    expect(companions(session.phone)[0]).to.include({ Online: true })
    expect(companions(session.phone)).to.have.length(1)
  })
  refuses('POST /session/connect', 'with the cause, if the network is unreachable', async () => {
    const session = await world.linked(await world.phone('Refused'))
    await session.post('/session/disconnect')
    world.fault({ Phone: session.phone.account.phone, Fault: 'failure', Code: 401 })
    const answer = await session.post('/session/connect', { Immediate: false })
    expect(answer, answer.error).to.include({ status: 502, success: false })
  })

  shows('POST /session/pair', 'returns a code that the phone accepts', async () => {
    const phone = await world.phone('Pair')
    const token = await init()
    const { data } = await world.gateway.post('/session/pair', { Phone: phone.account.phone }, { token })
    await phone.pair(data.LinkingCode)
    await eventually(() => companions(phone).length === 1, 'linked')
  })
  refuses('POST /session/pair', 'if the network refuses the code', async () => {
    const phone = await world.phone('Unpaired')
    const token = await init()
    world.fault({ Fault: 'refuseLinkCode' })
    const answer = await world.gateway.post('/session/pair', { Phone: phone.account.phone }, { token })
    expect(answer).to.include({ status: 429, success: false })
    expect(companions(phone)).to.have.length(0)
    world.fault({ Fault: 'clear' })
  })

  shows('GET /session/qr', 'returns a picture that a phone can scan', async () => {
    const phone = await world.phone('Camera')
    const token = await init()
    await world.gateway.post('/session/connect', {}, { token })
    const { data } = await world.gateway.get('/session/qr', { token })
    expect(data.QRCode).to.match(/^data:image\/png;base64,/)
    await phone.scan(data.QRCode)
    await eventually(() => companions(phone).length === 1, 'linked')
  })
  refuses('GET /session/qr', 'a session that is linked already', async () => {
    const session = await world.linked(await world.phone('Linked'))
    expect(await session.get('/session/qr')).to.include({ status: 409, error: 'Already Loggedin' })
    expect(companions(session.phone)).to.have.length(1)
  })

  shows('GET /session/status', 'reflects that the phone unlinked the session', async () => {
    const session = await world.linked(await world.phone('Status'))
    expect((await session.get('/session/status')).data).to.include({ Connected: true, LoggedIn: true })
    await session.phone.act({ Action: 'unlink', Companion: companions(session.phone)[0]?.JID ?? '' })
    await session.status({ LoggedIn: false })
  })
  refuses('GET /session/status', 'a session without a client', async () => {
    const token = await init()
    expect(await world.gateway.get('/session/status', { token })).to.include({
      status: 409,
      error: 'No session',
    })
  })

  shows('POST /session/disconnect', 'disconnects the companion, which stays linked', async () => {
    const session = await world.linked(await world.phone('Off'))
    await session.post('/session/disconnect')
    await eventually(() => companions(session.phone)[0]?.Online === false, 'off line')
    expect(companions(session.phone)).to.have.length(1)
  })
  refuses('POST /session/disconnect', 'a session without a client', async () => {
    const token = await init()
    expect(await world.gateway.post('/session/disconnect', {}, { token })).to.include({ status: 409 })
  })

  shows('POST /session/logout', 'removes the companion from the list of the phone', async () => {
    const session = await world.linked(await world.phone('Out'))
    expect(await session.post('/session/logout')).to.include({ status: 200 })
    await eventually(() => companions(session.phone).length === 0, 'unlinked')
  })
  refuses('POST /session/logout', 'a session that is not logged in', async () => {
    const token = await init()
    await world.gateway.post('/session/connect', { Immediate: false }, { token })
    expect(await world.gateway.post('/session/logout', {}, { token })).to.include({
      status: 409,
      error: 'not logged in',
    })
  })

  shows('GET /session/all', 'lists linked sessions with their JID', async () => {
    const session = await world.linked(await world.phone('All'))
    const { data } = await world.gateway.get('/session/all', admin)
    const row = data.find(({ Token }: { Token: string }) => Token === session.token)
    expect(row).to.include({ JID: session.phone.account.jid, Connected: true, LoggedIn: true })
  })
  refuses('GET /session/all', 'a session token for an admin token', async () => {
    const token = await init()
    const answer = await world.gateway.get('/session/all', { token, admintoken: token })
    expect(answer).to.include({ status: 401, error: 'invalid admin token' })
  })

  shows('POST /session/scanned', 'lists only linked sessions', async () => {
    const session = await world.linked(await world.phone('Scanned'))
    const blank = await init()
    const { data } = await world.gateway.post('/session/scanned', {}, admin)
    const tokens = data.map(({ Token }: { Token: string }) => Token)
    expect(tokens).to.include(session.token).and.not.include(blank)
  })
  refuses('POST /session/scanned', 'without the admin token', async () => {
    expect(await world.gateway.post('/session/scanned')).to.include({
      status: 401,
      error: 'invalid admin token',
    })
  })

  shows('POST /session/delete', 'removes the companion from the phone and deletes the token', async () => {
    const session = await world.linked(await world.phone('Delete'))
    await world.gateway.post('/session/delete', { Token: session.token }, admin)
    await eventually(() => companions(session.phone).length === 0, 'unlinked')
    expect(await session.get('/session/status')).to.include({ status: 401, error: 'invalid token' })
  })
  refuses('POST /session/delete', 'a missing and an unknown target', async () => {
    const session = await world.linked(await world.phone('Kept'))
    expect(await world.gateway.post('/session/delete', {}, admin)).to.include({ status: 400 })
    expect(await world.gateway.post('/session/delete', { Token: 'nobody' }, admin)).to.include({
      status: 404,
    })
    expect(companions(session.phone)).to.have.length(1)
  })
})
