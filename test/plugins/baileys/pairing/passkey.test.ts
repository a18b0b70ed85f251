import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../../support/eventually.ts'
import { whole } from '../../../support/run/whole.ts'
import { admin, type LinkedSession, sessionOf, startWorld, type World } from '../../../support/world.ts'

/** Steps that wait are given up soon. */
const SHORT = { passkeyStepMs: 400 }

describe('linking with a passkey', () => {
  let world: World
  const start = async (baileys: Record<string, unknown> = {}): Promise<void> => {
    world = await startWorld({ config: { baileys } })
    world.fault({ Fault: 'passkey' })
  }
  afterEach(() => world.stop())

  const opened = async (name = 'Ana'): Promise<LinkedSession> => {
    const { data } = await world.gateway.post('/session/init', {}, admin)
    const session = sessionOf(world.gateway, String(data.Token), await world.phone(name))
    await session.post('/session/connect', { Immediate: false })
    return session
  }
  const scan = async (session: LinkedSession): Promise<{ linked: Promise<string> }> => {
    const linked = session.phone.scan((await session.get('/session/qr')).data.QRCode)
    linked.catch(() => undefined)
    await session.status({ State: 'passkey' })
    return { linked }
  }
  const passkey = async (session: LinkedSession) => (await session.get('/session/passkey')).data
  const state = (session: LinkedSession, wanted: string) =>
    eventually(async () => {
      const shown = await passkey(session)
      return shown.State === wanted && shown
    }, `the passkey is ${wanted}`)
  const sign = async (session: LinkedSession) => {
    const credential = session.phone.passkey.sign((await passkey(session)).Challenge)
    return session.post('/session/passkey', credential)
  }
  const events = async (session: LinkedSession): Promise<string[]> => {
    const { data } = await session.get('/events?limit=100')
    return data.Events.map(({ type }: { type: string }) => type)
  }
  const why = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'linked',
      (error: Error) => error.message,
    )
  const companions = ({ account }: Phone) =>
    world.gateway.service('sandbox').phones.get(account.phone).view()['Companions'] as { JID: string }[]

  it('links after the QR code, when phone and session show the same code', async () => {
    await start()
    const session = await opened()
    expect(await passkey(session)).to.deep.equal({ State: 'none' })
    const { linked } = await scan(session)
    const asked = await passkey(session)
    expect(asked).to.include({ State: 'challenge' })
    expect(asked.Challenge).to.include({ rpId: 'whatsapp.com', userVerification: 'required' })
    expect(Date.parse(asked.ExpiresAt)).to.be.greaterThan(Date.now() + 500_000)
    expect((await sign(session)).data.State).to.be.oneOf(['submitted', 'confirm'])
    const { Code } = await state(session, 'confirm')
    await session.status({ State: 'passkey-confirm' })
    expect(Code).to.equal(session.phone.passkey.code)
    expect(Code).to.match(/^[1-9A-HJ-NP-TV-Z]{4}-[1-9A-HJ-NP-TV-Z]{4}$/)
    session.phone.passkey.compare(Code)
    const confirmed = await session.post('/session/passkey/confirm', {})
    expect(confirmed.data, confirmed.error).to.include({ State: 'confirmed' })
    await linked
    await session.status({ LoggedIn: true })
    const expected = ['PasskeyRequired', 'PasskeyConfirmation', 'PairSuccess', 'Connected']
    const seen = async () => (await events(session)).filter((type) => expected.includes(type))
    await eventually(async () => (await seen()).length === expected.length, 'all events')
    expect(await seen()).to.deep.equal(expected)
  })

  it('links after a pairing code', async () => {
    await start()
    const session = await opened()
    const { data } = await session.post('/session/pair', { Phone: session.phone.account.phone })
    const linked = session.phone.pair(data.LinkingCode)
    await session.status({ State: 'passkey' })
    await sign(session)
    session.phone.passkey.compare((await state(session, 'confirm')).Code)
    await session.post('/session/passkey/confirm', {})
    await linked
    await session.status({ LoggedIn: true })
  })

  it('queries the challenge if the notification has none', async () => {
    await start()
    world.fault({ Fault: 'passkeyBare' })
    const session = await opened()
    const { linked } = await scan(session)
    await sign(session)
    session.phone.passkey.compare((await state(session, 'confirm')).Code)
    await session.post('/session/passkey/confirm', {})
    await linked
  })

  it('refuses what no step expects, and answers that do not fit the challenge, and passes on none of it', async () => {
    await start()
    const session = await opened()
    expect(await session.post('/session/passkey/confirm', {})).to.include({ status: 409 })
    const early = session.phone.passkey.sign({ challenge: 'AAAA', rpId: 'whatsapp.com' })
    expect(await session.post('/session/passkey', early)).to.include({ status: 409 })
    await scan(session)
    const { Challenge } = await passkey(session)
    const good = session.phone.passkey.sign(Challenge)
    const other = (challenge: object, origin?: string) =>
      session.phone.passkey.sign({ ...Challenge, ...challenge }, origin)
    const wrong: [string, object][] = [
      ['rawId', { ...good, rawId: undefined }],
      ['id', { ...good, id: 'AAAA' }],
      ['id', { ...good, id: 'AAAA', rawId: 'AAAA' }],
      ['type', { ...good, type: 'password' }],
      ['response.signature', { ...good, response: { ...good.response, signature: 'a+b=' } }],
      ['response.clientDataJSON', { ...good, response: { ...good.response, clientDataJSON: 'AAAA' } }],
      ['response.clientDataJSON', other({ challenge: 'AAAA' })],
      ['response.clientDataJSON', other({}, 'https://example.com')],
      ['response.clientDataJSON', other({}, 'http://web.whatsapp.com')],
      ['response.authenticatorData', other({ rpId: 'example.com' })],
      ['response.authenticatorData', { ...good, response: { ...good.response, authenticatorData: 'AAAA' } }],
    ]
    for (const [field, body] of wrong) {
      const answer = await session.post('/session/passkey', body)
      expect(answer.status, answer.error).to.equal(400)
      expect(answer.error).to.include(field)
    }
    expect(await passkey(session)).to.include({ State: 'challenge' })
    expect((await session.post('/session/passkey', good)).status).to.equal(200)
    expect(await session.post('/session/passkey', good)).to.include({ status: 409 })
  })

  it('shows no QR code while the ceremony runs, and a new one when it has failed', async () => {
    await start({ qrFirstMs: 300, qrNextMs: 300, passkeyMs: 1500 })
    const session = await opened()
    const { linked } = await scan(session)
    expect(await session.get('/session/qr')).to.include({ status: 409 })
    await state(session, 'failed')
    const after = async () => {
      const types = await events(session)
      const failed = types.indexOf('PasskeyFailed')
      return failed > 0 && types.slice(failed).includes('QR') && types
    }
    const types = await eventually(after, 'a new QR code')
    const asked = types.indexOf('PasskeyRequired')
    expect(types.slice(asked, types.indexOf('PasskeyFailed'))).to.deep.equal(['PasskeyRequired'])
    await session.post('/session/disconnect')
    expect(await why(linked)).to.include('disconnected')
  })

  const FAILURES: Readonly<Record<string, string>> = {
    passkeyRefused: 'not-authorized',
    passkeySilent: 'did not answer the passkey in time',
    passkeySpoiled: 'the opening does not match',
    passkeyLate: 'did not answer the passkey in time',
  }
  for (const [Fault, reason] of Object.entries(FAILURES)) {
    const run = Fault === 'passkeyRefused' ? it : whole.it
    run(`says why it failed with the fault ${Fault}, and links at the next attempt`, async () => {
      await start(SHORT)
      world.fault({ Fault, Ms: 900 })
      const session = await opened()
      await scan(session)
      await sign(session)
      expect((await state(session, 'failed')).Reason).to.include(reason)
      await eventually(async () => (await events(session)).includes('PasskeyFailed'), 'the event of it')
      world.fault({ Fault: 'clear' })
      await session.phone.scan((await session.get('/session/qr')).data.QRCode)
      await session.status({ LoggedIn: true })
      expect(companions(session.phone)).to.have.length(1)
    })
  }

  it('does not link if the codes differ', async () => {
    await start(SHORT)
    const session = await opened()
    const { linked } = await scan(session)
    await sign(session)
    await state(session, 'confirm')
    expect(() => session.phone.passkey.compare('1111-1111')).to.throw('Code')
    await session.post('/session/passkey/confirm', {})
    expect(await why(linked)).to.include('the codes differ')
    await state(session, 'failed')
    expect(companions(session.phone)).to.deep.equal([])
  })

  it('refuses a signature that is not of the account', async () => {
    await start()
    const session = await opened()
    await scan(session)
    const good = session.phone.passkey.sign((await passkey(session)).Challenge)
    const forged = { ...good, response: { ...good.response, signature: 'AAAA' } }
    expect((await session.post('/session/passkey', forged)).status).to.be.within(400, 599)
    await state(session, 'failed')
  })

  it('survives a rotation of the registration material during the ceremony', async () => {
    await start()
    const session = await opened()
    const { linked } = await scan(session)
    world.fault({ Fault: 'rotateQr' })
    await sign(session)
    world.fault({ Fault: 'rotateQr' })
    session.phone.passkey.compare((await state(session, 'confirm')).Code)
    await session.post('/session/passkey/confirm', {})
    await linked
    await session.status({ LoggedIn: true })
  })

  const handsOff = async (session: LinkedSession): Promise<boolean> => {
    const { linked } = await scan(session)
    await sign(session)
    const shown = await eventually(async () => {
      const { State } = await passkey(session)
      return (State === 'confirm' || (await session.get('/session/status')).data.LoggedIn) && State
    }, 'a code or a link')
    if (shown === 'confirm') {
      session.phone.passkey.compare((await passkey(session)).Code)
      await session.post('/session/passkey/confirm', {})
    }
    await linked
    await session.status({ LoggedIn: true })
    return shown !== 'confirm'
  }

  const unlink = async (session: LinkedSession): Promise<void> => {
    await session.post('/session/logout')
    await session.status({ State: 'logged-out' })
  }

  it('compares codes at the first link of a session, and none when it is linked again', async () => {
    await start()
    const session = await opened()
    expect(await handsOff(session)).to.equal(false)
    await unlink(session)
    expect(await handsOff(session)).to.equal(true)
  })

  it('compares no codes if the proof is always given, and compares them if it comes too late', async () => {
    await start({ passkeyHandoff: 'always' })
    expect(await handsOff(await opened())).to.equal(true)
    await world.stop()
    await start({ passkeyHandoff: 'always', handoffMs: 0 })
    expect(await handsOff(await opened())).to.equal(false)
  })

  whole.it('compares codes at each link if the proof is never given', async () => {
    await start({ passkeyHandoff: 'never' })
    const session = await opened()
    expect(await handsOff(session)).to.equal(false)
    await unlink(session)
    expect(await handsOff(session)).to.equal(false)
  })
})
