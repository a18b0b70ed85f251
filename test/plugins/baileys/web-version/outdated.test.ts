import { expect } from 'chai'
import { engines } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { admin, type LinkedSession, sessionOf } from '../../../support/sessions.ts'
import { BUILT_IN, CURRENT, HOUR_MS, openVersionShop, type VersionShop, version } from './shop.ts'

for (const engine of engines) {
  describe(`a version that WhatsApp refuses, on ${engine.name}`, () => {
    let shop: VersionShop
    let sessions: LinkedSession[]
    /** The lowest revision that is let in. */
    let floor = BUILT_IN
    before(async () => {
      shop = await openVersionShop({ engine })
      sessions = []
      for (const name of ['One', 'Two', 'Three']) sessions.push(await shop.link(name))
    })
    after(() => shop.stop())
    afterEach(() => shop.loose.network.fault({ Fault: 'clear' }))

    const [one, two] = [() => sessions[0] as LinkedSession, () => sessions[1] as LinkedSession]
    const areOpen = async () => {
      await Promise.all(sessions.map((session) => session.status({ State: 'open' })))
      // The refusals of a session are removed once it is open.
      await eventually(async () => (await shop.known())['Refused'] === 0, 'no refusal left')
    }
    const historyOf = async (session: LinkedSession) => (await session.get('/session/history')).data.Changes
    /** From now on the network lets in a newer revision than the gateway has; the web site has one above that. */
    function raise({ isReleased = true } = {}): number {
      floor += 300_000
      shop.loose.network.fault({ Fault: 'outdated', Below: floor, Location: 'lla' })
      if (isReleased) shop.loose.network.fault({ Fault: 'release', Revision: floor + 5 })
      return floor + 5
    }

    it('is never the built-in one while a newer one can be looked up, once for all sessions', async () => {
      expect(new Set(shop.logins().map(({ AppVersion }) => AppVersion))).to.deep.equal(
        new Set([version(CURRENT)]),
      )
      expect(shop.asked()).to.deep.equal({ serviceWorkers: 1, pages: 0 })
      expect(await shop.known()).to.include({
        Version: version(CURRENT),
        Source: 'sw.js',
        Problem: '',
        Refused: 0,
      })
    })

    it('is replaced by the current one: sessions open again without a request, one after the other (whatsapp/01)', async () => {
      await shop.age(HOUR_MS)
      const revision = raise()
      const [before, asked] = [shop.logins().length, shop.asked()]
      shop.cut()
      await eventually(() => shop.logins().length === before + 6, 'each session refused, and let in', {
        progress: () => shop.logins().length,
      })
      await areOpen()
      const later = shop.logins().slice(before)
      expect(later.filter(({ Refused }) => Refused === '405')).to.have.length(3)
      const letIn = later.filter(({ Refused }) => Refused === '')
      expect(letIn.map(({ AppVersion }) => AppVersion)).to.deep.equal(Array(3).fill(version(revision)))
      const seconds = letIn.map(({ At }) => Math.floor(Date.parse(At) / 1000))
      expect(new Set(seconds).size, `logins in the seconds ${seconds}`).to.equal(3)
      expect(shop.asked()).to.deep.equal({ ...asked, serviceWorkers: asked.serviceWorkers + 1 })
      expect(await shop.known()).to.include({ Version: version(revision), Source: 'sw.js', Refused: 0 })
      for (const session of sessions) {
        const changes = await historyOf(session)
        expect(changes.map(({ Cause }: { Cause: string }) => Cause)).to.include('outdated')
        expect(changes.map(({ To }: { To: string }) => To)).to.not.include('failed')
      }
      // The others have enough with two.
      await sessions.pop()?.post('/session/disconnect')
    })

    it('keeps a session connecting until its turn, also over a restart, and can be disconnected meanwhile', async () => {
      await shop.age(HOUR_MS)
      await shop.restart({ outdatedSpreadMs: 4_000 })
      await areOpen()
      await shop.age(HOUR_MS)
      const revision = raise()
      shop.cut()
      const waiting = await eventually(async () => {
        const { data } = await one().get('/session/status')
        return data.State === 'connecting' && data.Reason && data
      }, 'it waits for its turn')
      expect(waiting.Reason).to.match(/^WhatsApp refuses version 2\.3000\.\d+ \(405, lla\)$/)
      expect(waiting.Next).to.include('reconnects')
      await two().status({ State: 'connecting' })
      expect(await two().post('/session/disconnect')).to.include({ status: 200 })
      await eventually(async () => (await shop.known())['Version'] === version(revision), 'looked up')
      await shop.restart({ outdatedSpreadMs: 4_000 })
      await one().status({ State: 'open' })
      expect(shop.logins().filter(({ AppVersion }) => AppVersion === version(revision))).to.have.length.below(
        3,
      )
      expect(await two().post('/session/connect')).to.include({ status: 200 })
      await areOpen()
      expect(await shop.known()).to.include({ Refused: 0 })
    })

    it('fails a session when it is refused again, with a remedy; a newer one and each hour it is tried', async () => {
      await shop.age(HOUR_MS)
      await shop.restart({ outdatedSpreadMs: 100 })
      await areOpen()
      await shop.age(HOUR_MS)
      const known = await shop.known()
      // The current version is refused too, and no other one is found.
      raise({ isReleased: false })
      for (const Fault of ['swjs', 'page']) shop.loose.network.fault({ Fault, Shape: 'renamed' })
      const before = shop.logins().length
      shop.cut()
      const failed = await one().status({ State: 'failed' })
      expect(failed.Reason).to.match(
        /^WhatsApp refuses version 2\.3000\.\d+ \(405, lla\); the look-up of a newer one failed: sw\.js: it has no client_revision; page: it has no client_revision$/,
      )
      expect(failed.Next).to.include('`wamux doctor`').and.to.include('WAMUX_BAILEYS_WEB_VERSION')
      await Promise.all(sessions.map((session) => session.status({ State: 'failed' })))
      expect(shop.logins().length).to.equal(before + 4)
      expect(await shop.known()).to.include({ Version: known['Version'], Refused: 2 })
      expect((await historyOf(one()))[0]).to.include({ To: 'failed', Cause: 'outdated' })

      await shop.age(HOUR_MS)
      await eventually(() => shop.logins().length === before + 6, 'each session tried again, once')
      await Promise.all(sessions.map((session) => session.status({ State: 'failed' })))
      expect(shop.logins().length).to.equal(before + 6)

      for (const Fault of ['swjs', 'page']) shop.loose.network.endFault({ Fault })
      shop.loose.network.fault({ Fault: 'release', Revision: floor + 5 })
      await shop.age(HOUR_MS / 4)
      await areOpen()
      expect(await shop.known()).to.include({ Version: version(floor + 5), Refused: 0, Problem: '' })
    })

    it('is looked up for a session that is being linked too, whose code comes without another request (whatsapp/01)', async () => {
      await shop.age(HOUR_MS)
      raise()
      const phone = await shop.loose.phones.create({ name: 'New' })
      const { data } = await shop.gateway.post('/session/init', {}, admin)
      const session = sessionOf(shop.calls, data.Token, phone)
      const before = shop.logins().length
      expect(await session.post('/session/connect')).to.include({ status: 200 })
      await session.status({ State: 'scan' })
      expect(
        shop
          .logins()
          .slice(before)
          .map(({ Refused }) => Refused),
      ).to.deep.equal(['405', ''])
      await phone.scan((await session.get('/session/qr')).data.QRCode)
      await session.status({ LoggedIn: true })
    })

    it('is not the cause of a bad user agent, which fails a session without a look-up', async () => {
      await shop.age(HOUR_MS)
      const asked = shop.asked()
      shop.loose.network.fault({ Fault: 'failure', Code: 409, Count: 1, Phone: one().phone.account.phone })
      shop.loose.network.fault({ Fault: 'drop', Phone: one().phone.account.phone })
      const status = await one().status({ State: 'failed' })
      expect(status.Reason).to.equal('WhatsApp rejects the user agent of this client (409, sandbox)')
      expect(status.Next).to.include('newer version of wamux')
      expect((await historyOf(one()))[0]).to.include({ Cause: 'bad-user-agent' })
      expect(shop.asked()).to.deep.equal(asked)
      await one().post('/session/connect')
      await areOpen()
    })
  })
}
