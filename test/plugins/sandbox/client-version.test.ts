import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { wire } from '../../../plugins/baileys/protocol/wire.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { child } from '../../../plugins/sandbox/stanza.ts'
import { linkRaw, type RawCompanion, register, stanzaWith } from '../../support/clients/raw-companion.ts'
import { eventually } from '../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'

const [primary, secondary, built] = wire.version
/** 60 days at 67,000 revisions. */
const FLOOR = built - 60 * 67_000
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0.0.0 Safari/537.36' }
const WORKER = { ...BROWSER, 'sec-fetch-site': 'none' }
const NAVIGATION = {
  ...WORKER,
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-user': '?1',
}

describe('the local network and the version of a client', () => {
  let loose: LooseNetwork
  let ana: Phone
  let companion: RawCompanion
  before(async () => {
    loose = await startNetwork()
    ana = await loose.phones.create({ name: 'Ana' })
    companion = await linkRaw(loose, ana)
  })
  after(() => loose.network.close())
  afterEach(() => loose.network.fault({ Fault: 'clear' }))

  const view = () =>
    loose.network.view() as {
      Logins: Record<string, string>[]
      WebVersion: { Floor: number; Current: number }
      Counters: Record<string, number>
    }
  const version = (revision: number) => [primary, secondary, revision] as const

  async function refusedLogin(revision: number) {
    const connection = await companion.logIn({ version: version(revision) })
    const { attrs } = await stanzaWith(connection, 'failure')
    await connection.close()
    return attrs
  }
  async function isLetIn(revision: number): Promise<boolean> {
    const connection = await companion.logIn({ version: version(revision) })
    const [first] = await eventually(() => connection.stanzas.length > 0 && connection.stanzas, 'an answer')
    await connection.close()
    return first?.tag === 'success'
  }

  it('records version and hash of clients when they register and when they log in', async () => {
    const hash = createHash('md5').update(wire.version.join('.')).digest('hex')
    const registration = view().Logins[0]
    expect(registration).to.include({ Phone: '', AppVersion: wire.version.join('.'), BuildHash: hash })
    expect(await isLetIn(built + 5)).to.equal(true)
    const login = view().Logins.at(-1)
    const AppVersion = version(built + 5).join('.')
    expect(login).to.include({ Phone: ana.account.phone, AppVersion, BuildHash: '', Refused: '' })
    expect(Date.parse(login?.['At'] ?? '')).to.be.closeTo(Date.now(), 60_000)
  })

  it('names what a client sends otherwise than WhatsApp Web (whatsapp/19)', async () => {
    const { Logins } = loose.network.view() as { Logins: { DiffersFromWaWeb: string[] }[] }
    const [registration, login] = [Logins[0], Logins.at(-1)]
    expect(registration?.DiffersFromWaWeb).to.include.members([
      'userAgent.platform',
      'pull',
      'deviceProps.os',
      'deviceProps.historySyncConfig.supportCallLogHistory',
    ])
    expect(login?.DiffersFromWaWeb).to.include.members(['lc', 'connectAttemptCount', 'lidDbMigrated'])
    expect(login?.DiffersFromWaWeb).not.to.include('pull')
  })

  it('refuses a login below the floor, by default 60 days below what Baileys was released with (whatsapp/01)', async () => {
    expect(view().WebVersion.Floor).to.equal(FLOOR)
    expect(await refusedLogin(FLOOR - 1)).to.deep.equal({ reason: '405', location: 'frc' })
    expect(view().Logins.at(-1)).to.include({ Refused: '405' })
    expect(await isLetIn(FLOOR)).to.equal(true)
  })

  it('refuses a registration below it before the first code, with the location that is asked for (whatsapp/01)', async () => {
    loose.network.fault({ Fault: 'outdated', Below: built + 1, Location: 'lla' })
    const connection = await register(loose.network.url)
    const { attrs } = await stanzaWith(connection, 'failure')
    expect(attrs).to.deep.equal({ reason: '405', location: 'lla' })
    expect(connection.stanzas.map(({ tag }) => tag)).to.deep.equal(['failure'])
    await connection.close()
    expect(await refusedLogin(built)).to.include({ reason: '405' })
    expect(await isLetIn(built + 1)).to.equal(true)
  })

  it('refuses a registration whose hash is not that of its version', async () => {
    const connection = await register(loose.network.url, { hashed: version(built + 1) })
    expect((await stanzaWith(connection, 'failure')).attrs).to.include({ reason: '409' })
    await connection.close()
    expect(view().Logins.at(-1)).to.include({ Refused: '409' })
  })

  it('refuses logins and registrations with any other code, as often as it is asked', async () => {
    loose.network.fault({ Fault: 'failure', Code: 409, Count: 2 })
    const connection = await register(loose.network.url)
    expect((await stanzaWith(connection, 'failure')).attrs).to.include({ reason: '409' })
    await connection.close()
    expect(await refusedLogin(built)).to.include({ reason: '409' })
    expect(loose.network.faults()).to.deep.equal([])
    expect(await isLetIn(built)).to.equal(true)
  })

  it('announces when the version of linked clients ends, and withdraws it (whatsapp/33)', async () => {
    const connection = await companion.logIn()
    await stanzaWith(connection, 'success')
    loose.network.fault({ Fault: 'expires', Ms: 86_400_000 })
    const notice = await stanzaWith(connection, 'client_expiration')
    const ends = Number(child(notice, 'client_expiration')?.attrs['t'])
    expect(ends - Date.now() / 1000).to.be.closeTo(86_400, 60)
    loose.network.fault({ Fault: 'expires' })
    const notices = () => connection.stanzas.filter((stanza) => child(stanza, 'client_expiration'))
    await eventually(() => notices().length === 2, 'the withdrawal')
    expect(child(notices()[1], 'client_expiration')?.attrs).to.deep.equal({})
    await connection.close()
  })

  it('serves the service worker to a browser that asks for it directly, and to no other client (whatsapp/01)', async () => {
    const { status, text } = await ask('/sw.js', WORKER)
    expect(status).to.equal(200)
    expect(text).to.include(`\\"client_revision\\":${view().WebVersion.Current},`)
    expect(view().WebVersion.Current).to.be.greaterThan(built)
    for (const headers of [
      BROWSER,
      { 'sec-fetch-site': 'none' },
      { ...WORKER, 'sec-fetch-site': 'same-origin' },
      { ...WORKER, cookie: 'a=b' },
    ])
      expect(await ask('/sw.js', headers)).to.include({ status: 400 })
    expect(view().Counters).to.include({ serviceWorkers: 5, pages: 0 })
  })

  it('serves the page to a navigation, and to no other request', async () => {
    const { status, text } = await ask('/', NAVIGATION)
    expect(status).to.equal(200)
    expect(text).to.include(`"client_revision":${view().WebVersion.Current},`)
    expect(await ask('/', WORKER)).to.include({ status: 400 })
    expect(await ask('/other', NAVIGATION)).to.include({ status: 404 })
    expect(view().Counters).to.include({ pages: 2 })
  })

  for (const [fault, path, headers] of [
    ['swjs', '/sw.js', WORKER],
    ['page', '/', NAVIGATION],
  ] as const) {
    it(`serves ${path} renamed, wild, with an error, or not at all`, async () => {
      loose.network.fault({ Fault: 'release', Revision: built + 9 })
      expect((await ask(path, headers)).text).to.match(new RegExp(`client_revision\\\\?":${built + 9},`))
      loose.network.fault({ Fault: fault, Shape: 'renamed' })
      expect((await ask(path, headers)).text).to.not.include('client_revision')
      loose.network.fault({ Fault: fault, Revision: 99_999_999_999 })
      expect((await ask(path, headers)).text).to.match(/client_revision\\?":99999999999,/)
      loose.network.fault({ Fault: fault, Code: 503 })
      expect(await ask(path, headers)).to.include({ status: 503 })
      loose.network.fault({ Fault: fault, Silent: true })
      const counter = fault === 'swjs' ? 'serviceWorkers' : 'pages'
      const before = view().Counters[counter] ?? 0
      const asked = ask(path, headers).then(
        () => 'answered',
        () => 'cut',
      )
      await eventually(() => view().Counters[counter] === before + 1, 'the request seen')
      loose.network.endFault({ Fault: fault })
      expect(await ask(path, headers)).to.include({ status: 200 })
      expect(await Promise.race([asked, Promise.resolve('silent')])).to.equal('silent')
    })
  }

  async function ask(path: string, headers: Record<string, string>) {
    const { port } = new URL(loose.network.url)
    const [response] = (await once(get({ port, path, headers, agent: false }), 'response')) as [
      IncomingMessage,
    ]
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    return { status: response.statusCode, text: Buffer.concat(chunks).toString() }
  }
})
