import { expect } from 'chai'
import { eventually } from '../../../support/eventually.ts'
import { admin, startWorld, type World } from '../../../support/world.ts'

describe('linking', () => {
  let world: World
  beforeEach(async () => {
    world = await startWorld()
  })
  afterEach(() => world.stop())

  const connected = async () => {
    const { data } = await world.gateway.post('/session/init', {}, admin)
    const token = { token: String(data.Token) }
    await world.gateway.post('/session/connect', { Immediate: false }, token)
    return token
  }
  const qr = async (token: { token: string }): Promise<string> =>
    (await world.gateway.get('/session/qr', token)).data.QRCode

  it('shows a new QR code when the network expires the current one, and links with it', async () => {
    world.fault({ Fault: 'companion_reg_refresh' })
    const token = await connected()
    const phone = await world.phone('Ana')
    const first = await qr(token)
    expect(
      await phone.scan(first).then(
        () => 'linked',
        (error: Error) => error.message,
      ),
    ).to.include("couldn't link")
    const next = async () => {
      const code = await qr(token)
      return code !== first && code
    }
    await phone.scan(await eventually(next, 'another code'))
    await loggedIn(world, token)
  })

  it('reports a refused pairing code, and can still link by QR code', async () => {
    const token = await connected()
    const phone = await world.phone('Bea')
    world.fault({ Fault: 'refuseLinkCode' })
    const answer = await world.gateway.post('/session/pair', { Phone: phone.account.phone }, token)
    expect(answer).to.include({ status: 429, success: false })
    world.fault({ Fault: 'clear' })
    await phone.scan(await qr(token))
    await loggedIn(world, token)
  })

  it('reports that the account requires a passkey, and shows no more codes', async () => {
    world.fault({ Fault: 'passkey' })
    const token = await connected()
    const phone = await world.phone('Bob')
    void phone.scan(await qr(token)).catch(() => undefined)
    const status = async () => (await world.gateway.get('/session/status', token)).data
    await eventually(async () => (await status()).State === 'passkey', 'asked for a passkey')
    expect((await status()).Reason).to.include('PASSKEY_REQUIRED')
    const shown = await world.gateway.get('/session/qr', token)
    expect(shown).to.include({ status: 409, success: false })
    expect(shown.error).to.include('PASSKEY_REQUIRED')
  })

  it('requests a pairing code under a device name that the network accepts, for any name of the session', async () => {
    const { data } = await world.gateway.post('/session/init', { Os: 'My Product (v2)' }, admin)
    const token = { token: String(data.Token) }
    const phone = await world.phone('Caio')
    const answer = await world.gateway.post('/session/pair', { Phone: phone.account.phone }, token)
    expect(answer, answer.error).to.include({ success: true })
    await phone.pair(answer.data.LinkingCode)
    await loggedIn(world, token)
  })

  it('shows a QR code again after a pairing code that was not used', async () => {
    const token = await connected()
    const phone = await world.phone('Davi')
    await world.gateway.post('/session/pair', { Phone: phone.account.phone }, token)
    await world.gateway.post('/session/disconnect', {}, token)
    const again = await world.gateway.post('/session/connect', { Immediate: false }, token)
    expect(again, again.error).to.include({ success: true })
    await phone.scan(await qr(token))
    await loggedIn(world, token)
  })

  for (const [Type, said] of [
    ['forged', /signature/],
    ['expired', /certificate has expired .* clock of this machine/],
    ['early', /certificate is not valid yet .* clock of this machine/],
    ['foreign', /certificate is not for the key that the server presents/],
  ] as const)
    it(`refuses a server whose certificate is wrong: ${Type}`, async () => {
      world.fault({ Fault: 'badCertificate', Type })
      const { data } = await world.gateway.post('/session/init', {}, admin)
      const token = { token: String(data.Token) }
      const answer = await world.gateway.post('/session/connect', { Immediate: false }, token)
      world.fault({ Fault: 'clear' })
      expect(answer).to.include({ status: 502, success: false })
      const { data: status } = await world.gateway.get('/session/status', token)
      expect(status).to.include({ State: 'failed', Connected: false })
      expect(status.Reason).to.match(said)
      expect(status.Next).to.match(/clock/)
    })
})

async function loggedIn(world: World, token: { token: string }): Promise<void> {
  const status = () => world.gateway.get('/session/status', token)
  await eventually(async () => (await status()).data?.LoggedIn, 'logged in')
}
