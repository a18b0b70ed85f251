import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines, temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { startNetwork } from '../../support/network.ts'
import { startProcess } from '../../support/process.ts'
import { whole } from '../../support/run/whole.ts'
import { linkPhone } from '../../support/sessions.ts'
import { admin, type LinkedSession, sessionOf, startWorld, type World } from '../../support/world.ts'

type End = (session: LinkedSession) => Promise<unknown>

/** How a session that a phone had linked came to be logged out. */
const ENDS: Readonly<Record<string, End>> = {
  'the phone unlinked it': ({ phone }) => {
    const [companion] = phone.view()['Companions'] as { JID: string }[]
    return phone.act({ Action: 'unlink', Companion: companion?.JID ?? '' })
  },
  'POST /session/logout': (session) => session.post('/session/logout'),
}

for (const engine of engines) {
  describe(`a session that is not linked, on ${engine.name}`, () => {
    let world: World
    let ana: Phone
    before(async () => {
      world = await startWorld({}, engine)
      ana = await world.phone('Ana')
    })
    afterEach(() => world.fault({ Fault: 'clear' }))
    after(() => world.stop())

    const scan = async (session: LinkedSession): Promise<void> => {
      const { data, error } = await session.get('/session/qr')
      expect(error).to.equal(undefined)
      await session.phone.scan(data.QRCode)
    }
    const pair = async (session: LinkedSession): Promise<void> => {
      const { data, error } = await session.post('/session/pair', { Phone: session.phone.account.phone })
      expect(error).to.equal(undefined)
      await session.phone.pair(data.LinkingCode)
    }
    const works = async (session: LinkedSession): Promise<void> => {
      await session.status({ LoggedIn: true })
      const { data, error } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'back' })
      expect(error).to.equal(undefined)
      await ana.wait(({ id }) => id === data.Id)
    }
    const fresh = async (): Promise<LinkedSession> => {
      const { data } = await world.gateway.post('/session/init', {}, admin)
      return sessionOf(world.gateway, data.Token, await world.phone('Shop'))
    }

    for (const [how, end] of Object.entries(ENDS)) {
      it(`links by a new QR code after ${how}`, async () => {
        const session = await world.linked(await world.phone('Shop'))
        await end(session)
        await session.status({ State: 'logged-out' })
        await scan(session)
        await works(session)
      })

      it(`links by a pairing code after ${how}`, async () => {
        const session = await world.linked(await world.phone('Shop'))
        await end(session)
        await session.status({ State: 'logged-out' })
        await pair(session)
        await works(session)
      })

      it(`shows a new QR code as soon as it says logged-out after ${how}`, async () => {
        const session = await world.linked(await world.phone('Shop'))
        const ended = end(session)
        const state = async () => (await session.get('/session/status')).data?.State
        await eventually(async () => (await state()) === 'logged-out', 'logged out', { progress: state })
        await scan(session)
        await ended
        await works(session)
      })
    }

    it('can be linked by another phone', async () => {
      const session = await world.linked(await world.phone('Shop'))
      await session.post('/session/logout')
      const other = sessionOf(world.gateway, session.token, await world.phone('Other'))
      await scan(other)
      await works(other)
      expect((await other.status({ LoggedIn: true })).Jid).to.equal(other.phone.account.jid)
    })

    it('shows a new QR code, and accepts a pairing code, after the last codes have expired', async () => {
      for (const link of [scan, pair]) {
        world.fault({ Fault: 'endCodes' })
        const session = await fresh()
        await session.post('/session/connect')
        await session.status({ State: 'failed' })
        world.fault({ Fault: 'clear' })
        await link(session)
        await works(session)
      }
    })

    it('shows a QR code while a pairing code is pending', async () => {
      const session = await fresh()
      await session.post('/session/pair', { Phone: session.phone.account.phone })
      await scan(session)
      await works(session)
    })

    it('has a QR code only after connecting', async () => {
      const session = await fresh()
      for (const _ of ['never connected', 'disconnected']) {
        expect(await session.get('/session/qr')).to.include({ status: 409, error: 'No session' })
        await session.post('/session/connect')
        expect((await session.get('/session/qr')).data.QRCode).to.match(/^data:image\/png;base64,/)
        await session.post('/session/disconnect')
      }
      await pair(session)
      await works(session)
    })

    it('is not logged in by a code request if it is linked and offline', async () => {
      const session = await world.linked(await world.phone('Shop'))
      world.fault({ Phone: session.phone.account.phone, Fault: 'replaced' })
      await session.status({ State: 'replaced' })
      expect(await session.get('/session/qr')).to.include({ status: 409, error: 'Already Loggedin' })
      expect(await session.post('/session/pair', { Phone: session.phone.account.phone })).to.include({
        status: 409,
        error: 'Already paired',
      })
      await session.status({ State: 'replaced' })
    })
  })
}

describe('a session that was linked again', () => {
  whole.it('reconnects after a restart of the gateway', async () => {
    const { network, phones, card } = await startNetwork()
    const env = { WAMUX_DATA_DIR: temporaryFolder(), WAMUX_BAILEYS_NETWORK: card }
    const shop = await phones.create({ name: 'Shop' })
    const first = await startProcess(env)
    const session = await linkPhone(first, shop)
    await session.post('/session/logout')
    await shop.scan((await session.get('/session/qr')).data.QRCode)
    await session.status({ LoggedIn: true })
    expect(await first.end('SIGTERM')).to.equal(0)
    const second = await startProcess(env)
    await sessionOf(second, session.token, shop).status({ LoggedIn: true })
    expect(await second.end('SIGTERM')).to.equal(0)
    await network.close()
  })
})
