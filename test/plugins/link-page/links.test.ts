import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, sessionOf, startWorld, type World } from '../../support/world.ts'
import { createClock, createVisitor, makeLink } from './support.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

for (const engine of engines) {
  describe(`links of link-page on ${engine.name}`, () => {
    let world: World
    const clock = createClock()
    before(async () => {
      world = await startWorld({ extra: [clock.plugin] }, engine)
    })
    afterEach(() => world.fault({ Fault: 'clear' }))
    after(() => world.stop())

    const rowsOf = async (id: string) => (await clock.rows()).filter((row) => row['session'] === id)

    it('are made by the session token, for fifteen minutes unless told otherwise', async () => {
      const { data } = await world.gateway.post('/session/init', {}, admin)
      const headers = { token: String(data.Token) }
      const made = await world.gateway.post('/session/link-page', {}, headers)
      expect(made.data.Url).to.match(new RegExp(`^${world.gateway.url}/link/[\\w-]{43}$`))
      expect(Date.parse(made.data.ExpiresAt) - Date.now()).to.be.within(890_000, 900_000)
      const longer = await world.gateway.post('/session/link-page', { ExpiresIn: 86_400 }, headers)
      expect(Date.parse(longer.data.ExpiresAt) - Date.now()).to.be.within(86_390_000, 86_400_000)
    })

    it('begin with the address that the client used, also behind a proxy', async () => {
      const { data } = await world.gateway.post('/session/init', {}, admin)
      const made = async (headers: Record<string, string>): Promise<string> => {
        const sent = { token: String(data.Token), ...headers }
        return (await world.gateway.post('/session/link-page', {}, sent)).data.Url
      }
      const proxied = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'wa.example.com, inner:8080' }
      expect(await made(proxied)).to.match(/^https:\/\/wa\.example\.com\/link\/[\w-]{43}$/)
      expect(await made({ 'x-forwarded-host': 'a b' })).to.match(/^http:\/\/localhost\/link\//)
    })

    it('are made for a session by its id with the admin token, and revoked', async () => {
      const { data } = await world.gateway.post('/session/init', {}, admin)
      const path = `/session/${data.Id}/link-page`
      const made = await world.gateway.post(path, { Language: 'de' }, admin)
      expect(made.data).to.include({ Id: data.Id })
      expect((await createVisitor(made.data.Url).call('GET')).text).to.include('lang="de"')
      expect(await world.gateway.call('DELETE', path, { headers: admin })).to.include({ status: 200 })
      expect((await createVisitor(made.data.Url).call('GET')).status).to.equal(410)
      expect(await world.gateway.post('/session/nobody/link-page', {}, admin)).to.include({ status: 404 })
    })

    it('are refused without a token, with a bad body, and for a session that is linked', async () => {
      const { token, id } = await makeLink(world)
      const before = (await rowsOf(id)).length
      const refused = async (body: object, headers: Record<string, string>) => {
        const { status, error } = await world.gateway.post('/session/link-page', body, headers)
        return `${status} ${error}`
      }
      expect(await refused({}, {})).to.equal('401 invalid token')
      for (const body of [{ ExpiresIn: 59 }, { ExpiresIn: 86_401 }])
        expect(await refused(body, { token })).to.match(/^400 Invalid ExpiresIn: /)
      expect(await refused({ Language: 'fr' }, { token })).to.match(
        /^400 Invalid Language: .*en, pt, es, de, id/,
      )
      expect(await rowsOf(id)).to.have.length(before)
      const linked = await world.linked(await world.phone('Shop'))
      expect(await refused({}, linked.headers)).to.equal('409 Already paired')
      expect(await world.gateway.call('DELETE', '/session/link-page')).to.include({ status: 401 })
    })

    it('are stored as hashes, of the token as of the cookie', async () => {
      const { url, id } = await makeLink(world)
      const visitor = createVisitor(url)
      const [, cookie = ''] = /^wamux_link=([\w-]{43});/.exec((await visitor.call('GET')).given ?? '') ?? []
      expect((await visitor.call('POST')).status).to.equal(303)
      const [row] = await rowsOf(id)
      expect(row).to.include({
        id: sha256(url.split('/').at(-1) ?? ''),
        holder: sha256(cookie),
        state: 'opened',
      })
      const stored = JSON.stringify(await clock.rows())
      expect(stored).to.not.include(cookie).and.not.include(url.split('/').at(-1))
    })

    it('give a cookie that scripts and other sites do not get, Secure behind TLS', async () => {
      const { url } = await makeLink(world)
      const path = new URL(url).pathname
      const { given } = await createVisitor(url).call('GET')
      expect(given).to.match(new RegExp(`; Path=${path}; Max-Age=\\d+; HttpOnly; SameSite=Strict$`))
      const { given: secure } = await createVisitor(url).call('GET', '', undefined, {
        'x-forwarded-proto': 'https',
      })
      expect(secure).to.match(/; HttpOnly; SameSite=Strict; Secure$/)
    })

    it('are not used up by being opened, as previews and mail filters do', async () => {
      const { url } = await makeLink(world)
      for (const _ of [1, 2, 3]) expect((await createVisitor(url).call('GET')).status).to.equal(200)
      const visitor = createVisitor(url)
      await visitor.call('GET')
      const opened = await visitor.call('POST')
      expect([opened.status, opened.headers.get('location')]).to.deep.equal([303, url.split('/').at(-1)])
    })

    it('belong to the first browser that uses them, which may use them again', async () => {
      const { url } = await makeLink(world)
      const [first, second] = [createVisitor(url), createVisitor(url)]
      for (const visitor of [first, second]) expect((await visitor.call('GET')).status).to.equal(200)
      const [one, again] = await Promise.all([first.call('POST'), first.call('POST')])
      expect([one.status, again.status]).to.deep.equal([303, 303])
      for (const method of ['POST', 'GET']) {
        const { status, text } = await second.call(method)
        expect(status).to.equal(410)
        expect(text).to.include('This link was already used')
      }
      expect((await first.call('GET')).status).to.equal(200)
      for (const path of ['/code', '/retry', '/cancel', '/passkey/confirm'])
        expect((await second.call('POST', path, { Phone: '5511999999999' })).status, path).to.equal(403)
      expect((await second.call('GET', '/stream')).status).to.equal(403)
      expect((await createVisitor(url).call('POST', '/code', { Phone: '5511999999999' })).status).to.equal(
        403,
      )
    })

    it('are used by one of two browsers that come at once', async () => {
      const { url } = await makeLink(world)
      const visitors = [createVisitor(url), createVisitor(url), createVisitor(url)]
      for (const visitor of visitors) await visitor.call('GET')
      const statuses = await Promise.all(visitors.map(async (visitor) => (await visitor.call('POST')).status))
      expect(statuses.sort()).to.deep.equal([303, 410, 410])
    })

    it('answer why a passkey is not accepted, and show no code of the attempt that failed', async () => {
      const visitor = createVisitor((await makeLink(world)).url)
      await visitor.call('GET')
      await visitor.call('POST')
      const phone = await world.phone('Keyed')
      const last = async (isLast: (state: Record<string, unknown>) => boolean) =>
        (await visitor.states(isLast)).at(-1) ?? {}
      const refused = async (path: string, body: object): Promise<string> => {
        const { status, text } = await visitor.call('POST', path, body)
        return `${status} ${JSON.parse(text).error}`
      }
      await last(({ State }) => State === 'scan')
      const early = phone.passkey.sign({ challenge: 'AAAA', rpId: 'whatsapp.com' })
      expect(await refused('/passkey', early)).to.match(/^409 No passkey answer is expected now/)
      expect(await refused('/passkey/confirm', {})).to.match(/^409 No passkey confirmation is expected now/)

      world.fault({ Fault: 'passkeyRefused' })
      const { text } = await visitor.call('POST', '/code', { Phone: phone.account.phone })
      phone.pair(JSON.parse(text).data.Code).catch(() => undefined)
      const { Challenge } = await last(({ Step }) => Step === 'challenge')
      expect(await refused('/passkey', early)).to.match(/^400 Invalid response\.clientDataJSON: .*another/)
      const signed = phone.passkey.sign(Challenge as Record<string, unknown>)
      expect(await refused('/passkey', signed)).to.match(/^403 .*not-authorized/)
      expect(await last(({ Step }) => Step === 'failed')).to.deep.equal({ State: 'passkey', Step: 'failed' })

      expect((await visitor.call('POST', '/retry')).status).to.equal(200)
      expect(await last(({ State }) => State === 'scan')).to.have.all.keys('State', 'Image', 'ExpiresIn')
      await visitor.call('POST', '/cancel')
      expect(await refused('/passkey', signed)).to.match(/^409 No session/)
    })

    it('need the cookie, and say so', async () => {
      const { url } = await makeLink(world)
      const { status, text } = await createVisitor(url).call('POST')
      expect(status).to.equal(400)
      expect(text).to.include('Cookies are needed')
      expect((await createVisitor(url).call('GET')).status).to.equal(200)
    })

    it('are unknown with any other token', async () => {
      for (const token of ['x', 'A'.repeat(43), '..%2f..', 'constructor']) {
        const visitor = createVisitor(`${world.gateway.url}/link/${token}`)
        for (const method of ['GET', 'POST']) {
          const { status, text } = await visitor.call(method)
          expect(status).to.equal(404)
          expect(text).to.include('This link does not exist')
        }
        expect((await visitor.call('POST', '/retry')).status).to.equal(404)
      }
    })

    it('expire, before they are used and after', async () => {
      const fresh = await makeLink(world)
      const used = await makeLink(world)
      const [early, late] = [createVisitor(used.url), createVisitor(fresh.url)]
      await early.call('GET')
      await early.call('POST')
      await late.call('GET')
      for (const { id } of [fresh, used]) await clock.expire(id)
      const { status, text } = await late.call('GET')
      expect(status).to.equal(410)
      expect(text).to.include('This link has expired')
      expect((await late.call('POST')).status).to.equal(410)
      expect((await early.call('POST', '/code', { Phone: '5511999999999' })).status).to.equal(410)
      expect((await early.call('GET')).text).to.include('This link has expired')
    })

    it('replace one another', async () => {
      const { url, token } = await makeLink(world)
      const { data } = await world.gateway.post('/session/link-page', {}, { token })
      const { status, text } = await createVisitor(url).call('GET')
      expect(status).to.equal(410)
      expect(text).to.include('This link is no longer valid')
      expect((await createVisitor(data.Url).call('GET')).status).to.equal(200)
    })

    it('stop linking when they are revoked: the code that was shown is dead', async () => {
      const { url, token } = await makeLink(world)
      const visitor = createVisitor(url)
      await visitor.call('GET')
      await visitor.call('POST')
      const seen = visitor.states(({ State }) => State === 'revoked')
      const status = async () => (await world.gateway.get('/session/status', { token })).data?.State
      await eventually(async () => (await status()) === 'scan', 'a code')
      const { data } = await world.gateway.get('/session/qr', { token })
      await world.gateway.call('DELETE', '/session/link-page', { headers: { token } })
      expect((await seen).at(-1)).to.deep.equal({ State: 'revoked' })
      const phone = await world.phone('Late')
      const scanned = await phone.scan(data.QRCode).catch((error: Error) => error.message)
      expect(scanned).to.include('expired')
    })

    it('stop linking when they expire while the page is open', async () => {
      const { url, token, id } = await makeLink(world)
      const visitor = createVisitor(url)
      await visitor.call('GET')
      await visitor.call('POST')
      await clock.expire(id, 3_000)
      expect((await visitor.states(({ State }) => State === 'expired')).at(-1)).to.deep.equal({
        State: 'expired',
      })
      const gone = async () => (await world.gateway.get('/session/status', { token })).error === 'No session'
      await eventually(gone, 'disconnected')
    })

    it('do not link a second account after the first has gone', async () => {
      const phone = await world.phone('Shop')
      const { url, token } = await makeLink(world)
      const visitor = createVisitor(url)
      await visitor.call('GET')
      await visitor.call('POST')
      const session = sessionOf(world.gateway, token, phone)
      await eventually(async () => (await session.get('/session/qr')).data?.QRCode, 'a code')
      await phone.scan((await session.get('/session/qr')).data.QRCode)
      await session.status({ LoggedIn: true })
      const { phone: number } = phone.account
      const [state] = await visitor.states(() => true)
      expect(state).to.deep.equal({ State: 'linked', Number: number.slice(-4) })
      await session.post('/session/logout')
      expect((await visitor.call('POST', '/retry')).status).to.equal(410)
      expect((await visitor.states(() => true)).at(-1)).to.deep.equal({ State: 'linked', Number: '' })
    })

    it('take a phone number however it is written, and no other text', async () => {
      const { url } = await makeLink(world)
      const visitor = createVisitor(url)
      await visitor.call('GET')
      await visitor.call('POST')
      const { phone } = (await world.phone('Written')).account
      const status = async (Phone: string) => (await visitor.call('POST', '/code', { Phone })).status
      const spaced = `+${phone.slice(0, 2)}\u00a0(${phone.slice(2, 4)}) ${phone.slice(4, 8)}\u2011${phone.slice(8)}`
      for (const number of [phone, spaced, `00${phone}`]) expect(await status(number), number).to.equal(200)
      const wrong = ['12', '011999999999', `${phone}x`, `${phone}@s.whatsapp.net`, '1'.repeat(16), '']
      for (const text of wrong) expect(await status(text), text).to.equal(400)
    })

    it('give ten pairing codes at most', async () => {
      const { url } = await makeLink(world)
      const visitor = createVisitor(url)
      await visitor.call('GET')
      await visitor.call('POST')
      const { phone } = (await world.phone('Often')).account
      const statuses = []
      for (let count = 0; count < 11; count += 1)
        statuses.push((await visitor.call('POST', '/code', { Phone: phone })).status)
      expect(statuses).to.deep.equal([...Array(10).fill(200), 429])
    })

    it('are deleted with their session', async () => {
      const { token, id } = await makeLink(world)
      expect(await rowsOf(id)).to.have.length(1)
      await world.gateway.post('/session/delete', {}, { ...admin, token })
      expect(await rowsOf(id)).to.have.length(0)
    })
  })
}

describe('the address of a link', () => {
  it('is the configured one, also below a path, and otherwise the host of the request', async () => {
    const publicUrl = 'https://links.example.com/wa/'
    const world = await startWorld({ config: { messages: { publicUrl } } })
    const { url } = await makeLink(world)
    expect(url).to.match(/^https:\/\/links\.example\.com\/wa\/link\/[\w-]{43}$/)
    const { pathname } = new URL(url)
    const { given } = await createVisitor(`${world.gateway.url}${pathname.slice(3)}`).call('GET')
    expect(given)
      .to.include(`; Path=${pathname};`)
      .and.match(/; Secure$/)
    await world.stop()
  })
})
