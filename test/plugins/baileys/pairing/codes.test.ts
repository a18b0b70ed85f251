import { expect } from 'chai'
import { eventually } from '../../../support/eventually.ts'
import { admin, type LinkedSession, sessionOf, startWorld, type World } from '../../../support/world.ts'

describe('the codes of a session that is not linked', () => {
  let world: World
  const start = async (baileys: Record<string, unknown> = {}): Promise<void> => {
    world = await startWorld({ config: { baileys } })
  }
  afterEach(() => world.stop())

  const opened = async (name = 'Ana'): Promise<LinkedSession> => {
    const { data } = await world.gateway.post('/session/init', {}, admin)
    const session = sessionOf(world.gateway, String(data.Token), await world.phone(name))
    await session.post('/session/connect', { Immediate: false })
    return session
  }
  const codeOf = async (session: LinkedSession): Promise<string> => {
    const answer = await session.post('/session/pair', { Phone: session.phone.account.phone })
    expect(answer, answer.error).to.include({ status: 200 })
    return answer.data.LinkingCode
  }
  const qrOf = async (session: LinkedSession): Promise<string> =>
    (await session.get('/session/qr')).data.QRCode
  const network = () => world.gateway.service('sandbox').network
  /** Whether the companion answers what a phone sends it; what it ignores has no other end. */
  const isAnswered = async (work: Promise<unknown>, meanwhile: () => Promise<unknown>): Promise<boolean> => {
    let answered = false
    work.then(
      () => {
        answered = true
      },
      () => undefined,
    )
    await meanwhile()
    return answered
  }

  it('send the byte 0 as nonce, and a new key with each code', async () => {
    await start()
    const session = await opened()
    // The phone refuses a second code with the key of the first.
    world.fault({ Fault: 'companion_reg_refresh' })
    const first = session.phone.pair(await codeOf(session))
    expect(await first.catch(({ message }: Error) => message)).to.include("couldn't link the device")
    await session.phone.pair(await codeOf(session))
    await session.status({ LoggedIn: true })
    expect(world.counters()).to.include({ digitNonces: 0, pairings: 1 })
  })

  it('can be typed again after a mistake, while the QR code can still be scanned', async () => {
    await start()
    const typed = await opened('Ana')
    const code = await codeOf(typed)
    await typed.phone.pair('22222222').catch(() => undefined)
    await typed.phone.pair(code)
    await typed.status({ LoggedIn: true })

    const scanned = await opened('Bea')
    await codeOf(scanned)
    await scanned.phone.pair('22222222').catch(() => undefined)
    await scanned.phone.scan(await qrOf(scanned))
    await scanned.status({ LoggedIn: true })
  })

  it('let a pairing code be entered after the last QR code', async () => {
    await start({ qrFirstMs: 150, qrNextMs: 100, codeMs: 30_000 })
    const session = await opened()
    const code = await codeOf(session)
    const shown = async () => (await session.get('/events?limit=100')).data.Events
    const isLast = async () =>
      (await shown()).filter(({ type }: { type: string }) => type === 'QR').length === 6
    await eventually(isLast, 'six QR codes')
    // Past the time of the last one.
    await new Promise((resolve) => setTimeout(resolve, 300))
    await session.phone.pair(code)
    await session.status({ LoggedIn: true })
  })

  it('end with the pairing code if no QR code is left', async () => {
    await start({ qrFirstMs: 150, qrNextMs: 100, codeMs: 1200 })
    const session = await opened()
    await codeOf(session)
    const { Reason } = await session.status({ State: 'failed' })
    expect(Reason).to.include('no phone scanned')
  })

  it('are shown again after the pairing code has expired', async () => {
    await start({ codeMs: 300 })
    const session = await opened()
    await codeOf(session)
    await session.status({ State: 'scan' })
    await session.phone.scan(await qrOf(session))
    await session.status({ LoggedIn: true })
  })

  it('ignore the phone when its answer is for another code, of another stage, or too late', async () => {
    await start({ codeMs: 1500 })
    const session = await opened()
    const key = { wrappedEphemeral: Buffer.alloc(80, 1), identity: Buffer.alloc(32, 2) }
    await codeOf(session)
    const refs = () => network().view()['LinkCodes'] as string[]
    const [old = ''] = refs()
    const code = await codeOf(session)
    const [, ref = ''] = refs()
    const anotherCode = network().primaryHello(old, key)
    const anotherStage = network().primaryHello(ref, { ...key, stage: 'secondary_hello' })
    expect(
      await isAnswered(Promise.race([anotherCode, anotherStage]), () => session.status({ State: 'scan' })),
    ).to.equal(false)
    const tooLate = session.phone.pair(code)
    expect(
      await isAnswered(tooLate, async () => {
        await session.phone.scan(await qrOf(session))
        await session.status({ LoggedIn: true })
      }),
    ).to.equal(false)
  })

  it('say that the network has retired a pairing code, and accept another one', async () => {
    await start()
    const session = await opened()
    await codeOf(session)
    await session.status({ State: 'code' })
    world.fault({ Fault: 'refreshLinkCode' })
    await session.status({ State: 'scan' })
    await session.phone.pair(await codeOf(session))
    await session.status({ LoggedIn: true })
  })

  it('name too many requests as a cause if the network answers 400', async () => {
    await start()
    const session = await opened()
    world.fault({ Fault: 'refuseLinkCode', Code: 400 })
    const { status, error } = await session.post('/session/pair', { Phone: session.phone.account.phone })
    expect(status).to.equal(502)
    expect(error).to.include('400').and.to.include('too often')
  })

  it('carry a new secret after a rotation, which is acknowledged first', async () => {
    await start()
    const session = await opened()
    const secretOf = (code: string): string | undefined => code.split(',')[3]
    const texts = async (): Promise<string[]> =>
      (await session.get('/events?limit=100')).data.Events.filter(
        ({ type }: { type: string }) => type === 'QR',
      ).map(({ event }: { event: { code: string } }) => event.code)
    const [first = ''] = await eventually(
      async () => (await texts()).length === 1 && texts(),
      'the first code',
    )
    world.fault({ Fault: 'rotateQr' })
    const second = await eventually(async () => (await texts())[1], 'the second code')
    expect(secretOf(second)).to.not.equal(secretOf(first))
    expect(second.split(',')[0]).to.equal(first.split(',')[0])
    expect(await session.phone.scan(first).catch(({ message }: Error) => message)).to.include(
      'refused the link',
    )
    await session.phone.scan(second)
    await session.status({ LoggedIn: true })
  })

  it('answer a link that was signed with another secret, and can still be used', async () => {
    await start()
    const session = await opened()
    const code = await qrTextOf(session)
    const parts = code.split(',')
    parts[3] = Buffer.alloc(32, 9).toString('base64')
    expect(
      await session.phone.scan(parts.join(',')).then(
        () => 'linked',
        (error: Error) => error.message,
      ),
    ).to.include('refused the link')
    await session.phone.scan(code)
    await session.status({ LoggedIn: true })
  })

  const qrTextOf = async (session: LinkedSession): Promise<string> =>
    eventually(async () => {
      const { data } = await session.get('/events?limit=100')
      return data.Events.find(({ type }: { type: string }) => type === 'QR')?.event.code
    }, 'a QR code')
})
