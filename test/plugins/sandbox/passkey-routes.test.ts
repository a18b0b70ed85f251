import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { expect } from 'chai'
import { eventually } from '../../support/eventually.ts'
import { admin, startWorld, type World } from '../../support/world.ts'

const sha256 = (data: Buffer): Buffer => createHash('sha256').update(data).digest()

describe('the routes of a phone for passkeys', () => {
  let world: World
  before(async () => {
    world = await startWorld({ config: { baileys: { passkeyStepMs: 3_000 } } })
    world.fault({ Fault: 'passkey' })
  })
  after(() => world.stop())

  const call = (path: string, body: object, headers: Record<string, string> = admin) =>
    world.gateway.post(`/sandbox/phones/${path}`, body, headers)

  /** A session that waits for the passkey of a new phone. */
  const asked = async (prepare = async (_phone: string): Promise<void> => undefined) => {
    const { data: phone } = await world.gateway.post('/sandbox/phones', { Name: 'Keyed' }, admin)
    await prepare(String(phone.Phone))
    const { data } = await world.gateway.post('/session/init', {}, admin)
    const headers = { token: String(data.Token) }
    await world.gateway.post('/session/connect', { Immediate: false }, headers)
    const scanned = await call(`${phone.Phone}/scan`, { Token: headers.token })
    expect(scanned.data).to.deep.equal({ JID: '' })
    const passkey = async (State: string) =>
      eventually(async () => {
        const shown = (await world.gateway.get('/session/passkey', headers)).data
        return shown.State === State && shown
      }, `the passkey is ${State}`)
    const view = async () => (await world.gateway.get(`/sandbox/phones/${phone.Phone}`, admin)).data
    return { phone: String(phone.Phone), headers, passkey, view, ...(await passkey('challenge')) }
  }
  const isLoggedIn = async (headers: Record<string, string>) =>
    (await world.gateway.get('/session/status', headers)).data.LoggedIn

  it('sign with the credential of the phone, and compare the codes', async () => {
    const { phone, headers, passkey, view, Challenge } = await asked()
    const { data } = await call(`${phone}/passkey/sign`, { Challenge })
    await world.gateway.post('/session/passkey', data.Credential, headers)
    const { Code } = await passkey('confirm')
    expect((await view()).PasskeyCode).to.equal(Code)
    await world.gateway.post('/session/passkey/confirm', {}, headers)
    const compared = await call(`${phone}/passkey/compare`, { Code })
    expect(compared.data).to.deep.equal({ Details: 'The codes are equal' })
    await eventually(() => isLoggedIn(headers), 'logged in')
    expect((await view()).Companions).to.have.length(1)
  })

  it('register the credential of another authenticator, and refuse other codes', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const Id = Buffer.from('another authenticator').toString('base64url')
    const PublicKey = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    const { phone, headers, passkey, view, Challenge } = await asked(async (owner) => {
      const wrong = await call(`${owner}/passkey/credential`, { Id, PublicKey: 'AAAA' })
      expect(wrong.status).to.equal(400)
      expect(wrong.error).to.match(/^Invalid PublicKey: /)
      const registered = await call(`${owner}/passkey/credential`, { Id, PublicKey })
      expect(registered.data).to.deep.equal({ Details: 'Credential registered' })
    })
    expect(Challenge.allowCredentials.map(({ id }: { id: string }) => id)).to.include(Id)

    const { challenge, rpId } = Challenge
    const clientData = Buffer.from(
      JSON.stringify({ type: 'webauthn.get', challenge, origin: 'https://web.whatsapp.com' }),
    )
    // Present, verified, backed up.
    const data = Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([0x1d, 0, 0, 0, 1])])
    const response = {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', Buffer.concat([data, sha256(clientData)]), privateKey).toString('base64url'),
    }
    const credential = { id: Id, rawId: Id, type: 'public-key', response }
    const submitted = await world.gateway.post('/session/passkey', credential, headers)
    expect(submitted.status, submitted.error).to.equal(200)
    const { Code } = await passkey('confirm')
    const compared = await call(`${phone}/passkey/compare`, { Code: '1111-1111' })
    expect(compared).to.include({ status: 400, error: `Invalid Code: the phone shows ${Code}` })
    const again = await call(`${phone}/passkey/compare`, { Code })
    expect(again).to.include({ status: 400, error: 'Invalid Code: the phone shows no code' })
    await world.gateway.post('/session/passkey/confirm', {}, headers)
    expect((await passkey('failed')).Reason).to.include('the phone did not finish the link in time')
    expect((await view()).Companions).to.deep.equal([])
  })

  it('name what is missing, and need the admin token and a phone', async () => {
    const { data: phone } = await world.gateway.post('/sandbox/phones', {}, admin)
    const bodies: Record<string, object> = {
      sign: { Challenge: {} },
      credential: { Id: 'AAAA', PublicKey: 'AAAA' },
      compare: { Code: '1111-1111' },
    }
    for (const [route, body] of Object.entries(bodies)) {
      expect(await call(`${phone.Phone}/passkey/${route}`, body, {}), route).to.include({ status: 401 })
      expect(await call(`999000000000/passkey/${route}`, body), route).to.include({ status: 404 })
      const empty = await call(`${phone.Phone}/passkey/${route}`, {})
      expect(empty.status, route).to.equal(400)
      expect(empty.error, route).to.include(Object.keys(body)[0])
    }
  })
})
