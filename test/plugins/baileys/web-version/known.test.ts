import { expect } from 'chai'
import proxyPlugin from '../../../../plugins/proxy/index.ts'
import { engines } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { readMetrics } from '../../../support/metrics.ts'
import { whole } from '../../../support/run/whole.ts'
import { admin, type LinkedSession } from '../../../support/sessions.ts'
import { BUILT_IN, CURRENT, HOUR_MS, openVersionShop, type VersionShop, version } from './shop.ts'

const DAY_MS = 24 * HOUR_MS
/** Longer than a day and its jitter. */
const DUE_MS = 27 * HOUR_MS

for (const engine of engines) {
  describe(`the version of WhatsApp Web that a gateway knows, on ${engine.name}`, () => {
    let shop: VersionShop
    let session: LinkedSession
    before(async () => {
      shop = await openVersionShop({ engine })
    })
    after(() => shop.stop())
    afterEach(() => shop.loose.network.fault({ Fault: 'clear' }))

    const fault = (Fault: string, fields: Record<string, unknown> = {}): void =>
      shop.loose.network.fault({ Fault, ...fields })
    const knows = (wanted: Record<string, unknown>) =>
      eventually(async () => {
        const known = await shop.known()
        for (const [name, value] of Object.entries(wanted))
          if (known[name] !== value) throw new Error(JSON.stringify(known))
        return known
      }, JSON.stringify(wanted))
    const metrics = () => readMetrics(shop.gateway.url, admin)
    const isLogged = (text: string): boolean => shop.gateway.lines.some((line) => line.includes(text))

    it('is the built-in one, and nothing is asked of WhatsApp, before the first link', async () => {
      expect(await shop.known()).to.include({
        Version: version(BUILT_IN),
        Source: 'built-in',
        BuiltIn: version(BUILT_IN),
        FetchedAt: '',
        LookedUpAt: '',
        Problem: '',
        ExpiresAt: '',
      })
      expect(shop.asked()).to.deep.equal({ serviceWorkers: 0, pages: 0 })
      expect((await metrics()).value('wamux_web_version_age_days')).to.equal(undefined)
      session = await shop.link('Shop')
      expect(await shop.known()).to.include({ Version: version(CURRENT), Source: 'sw.js', AgeDays: 0 })
      expect((await metrics()).value('wamux_web_version_age_days')).to.be.lessThan(0.1)
    })

    for (const [kind, fields, problem] of [
      ['gone', { Code: 404 }, 'sw.js: it answered 404; page: it answered 404'],
      ['refused', { Code: 400 }, 'sw.js: it answered 400; page: it answered 400'],
      ['renamed', { Shape: 'renamed' }, 'sw.js: it has no client_revision; page: it has no client_revision'],
      [
        'absurd',
        { Revision: 99_999_999_999 },
        `sw.js: its client_revision 99999999999 is too far above the last one, ${CURRENT}; page: its client_revision 99999999999 is too far above the last one, ${CURRENT}`,
      ],
      [
        'older than the built-in one',
        { Revision: 1_000_000_000 },
        `sw.js: its client_revision 1000000000 is older than the built-in ${BUILT_IN}; page: its client_revision 1000000000 is older than the built-in ${BUILT_IN}`,
      ],
      ['silent', { Silent: true }, 'sw.js: no answer within 10 s; page: no answer within 10 s'],
    ] as const) {
      const run = kind === 'silent' ? whole.it : it
      run(`stays, with the problem, when the sources are ${kind} a day later (whatsapp/01)`, async () => {
        for (const source of ['swjs', 'page']) fault(source, fields)
        await shop.age(DUE_MS)
        await knows({ Version: version(CURRENT), Source: 'sw.js', Problem: problem })
        await eventually(() => isLogged('the last one stays'), 'logged')
        // Links are opened with the last good one.
        shop.cut()
        await eventually(() => shop.logins().at(-1)?.AppVersion === version(CURRENT), 'a login')
        await session.status({ State: 'open' })
        fault('clear')
        await shop.age(HOUR_MS)
        await knows({ Problem: '', Version: version(CURRENT) })
      })
    }

    it('is looked up on the page where the service worker fails, and stays over a restart (whatsapp/01)', async () => {
      fault('swjs', { Code: 404 })
      fault('release', { Revision: CURRENT + 10 })
      await shop.age(DUE_MS)
      await knows({ Version: version(CURRENT + 10), Source: 'page', Problem: '' })
      fault('page', { Code: 500 })
      await shop.restart()
      await session.status({ State: 'open' })
      expect(shop.logins().at(-1)).to.include({ AppVersion: version(CURRENT + 10), Refused: '' })
    })

    it('has an end that WhatsApp announces: it is logged, measured, and looked up again at once (whatsapp/33)', async () => {
      await shop.age(HOUR_MS)
      const { serviceWorkers } = shop.asked()
      fault('release', { Revision: CURRENT + 10 })
      fault('expires', { Ms: 3 * DAY_MS })
      const known = await eventually(async () => {
        const { ExpiresAt = '', ...rest } = await shop.known()
        return ExpiresAt !== '' && { ExpiresAt, ...rest }
      }, 'the end known')
      expect(Date.parse(String(known.ExpiresAt)) - Date.now()).to.be.closeTo(3 * DAY_MS, 120_000)
      await eventually(() => shop.asked().serviceWorkers === serviceWorkers + 1, 'looked up')
      const notice = `"version":"${version(CURRENT + 10)}"`
      const lines = shop.gateway.lines.filter((line) => line.includes('announces the end of the version'))
      expect(lines.join()).to.include(notice)
      expect((await metrics()).value('wamux_web_version_expires_seconds')).to.be.closeTo(3 * 86_400, 120)
    })

    it('has none any more when WhatsApp withdraws it (whatsapp/33)', async () => {
      fault('expires')
      await knows({ ExpiresAt: '' })
      expect((await metrics()).value('wamux_web_version_expires_seconds')).to.equal(undefined)
    })

    it('has none after a newer one is found, however long older links last', async () => {
      await shop.age(HOUR_MS)
      fault('release', { Revision: CURRENT + 20 })
      fault('expires', { Ms: DAY_MS })
      await knows({ Version: version(CURRENT + 20), ExpiresAt: '' })
      expect((await metrics()).value('wamux_web_version_expires_seconds')).to.equal(undefined)
    })

    it('is what the setting says: used as it is, never looked up, with a warning if it is older than the built-in', async () => {
      const asked = shop.asked()
      const webVersion = version(BUILT_IN - 100)
      await shop.restart({ webVersion })
      await session.status({ State: 'open' })
      expect(shop.logins().at(-1)).to.include({ AppVersion: webVersion, Refused: '' })
      expect(await shop.known()).to.include({ Version: webVersion, Source: 'setting', FetchedAt: '' })
      expect(isLogged('webVersion is older than the built-in version')).to.equal(true)
      expect((await metrics()).value('wamux_web_version_age_days')).to.be.greaterThan(0)

      fault('outdated', { Below: BUILT_IN })
      shop.cut()
      const { Reason, Next } = await session.status({ State: 'failed' })
      expect(Reason).to.equal(
        `WhatsApp refuses version ${webVersion} (405, frc), given by the setting webVersion`,
      )
      expect(Next).to.include('WAMUX_BAILEYS_WEB_VERSION')
      expect(shop.asked()).to.deep.equal(asked)

      await shop.restart({ webVersion: version(BUILT_IN + 100) })
      await session.status({ State: 'open' })
      expect(isLogged('webVersion is older than the built-in version')).to.equal(false)
    })

    it('is refused where the setting is neither a version nor auto', async () => {
      const refused = await shop.restart({ webVersion: '2.3000' }).catch((error: Error) => error.message)
      expect(refused).to.include('webVersion')
      await shop.restart()
    })
  })
}

describe('the version of WhatsApp Web of a gateway whose sessions all have a proxy', () => {
  it('is not looked up beside the proxy while that is down', async () => {
    const plugin = { plugin: proxyPlugin, config: { url: 'socks5://127.0.0.1:9' } }
    const shop = await openVersionShop({ extra: [plugin] })
    const { data } = await shop.gateway.post('/session/init', {}, admin)
    await shop.gateway.post('/session/connect', { Immediate: true }, { token: data.Token })
    const { Problem } = await eventually(async () => {
      const known = await shop.known()
      return known['Problem'] !== '' && known
    }, 'the look-up has failed')
    expect(Problem).to.equal('sw.js: the proxy could not connect; page: the proxy could not connect')
    expect(await shop.known()).to.include({ Version: version(BUILT_IN), Source: 'built-in' })
    expect(shop.asked()).to.deep.equal({ serviceWorkers: 0, pages: 0 })
    await shop.stop()
  })
})
