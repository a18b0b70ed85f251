import { expect } from 'chai'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

interface Logged {
  Id: string
  At: string
  Actor: string
  Method: string
  Path: string
  Status: number
  ErrorCode: string
  Ms: number
  Body?: string
}

const listed = async (session: LinkedSession, filter: Record<string, string> = {}): Promise<Logged[]> =>
  (await session.get(`/session/requests?${new URLSearchParams(filter)}`)).data.Requests

for (const engine of engines)
  describe(`the requests to a session on ${engine.name}`, () => {
    let world: World
    let ana: LinkedSession
    before(async () => {
      world = await startWorld({}, engine)
      ana = await world.linked(await world.phone('Ana'))
    })
    after(() => world.stop())

    const failed = (count: number, filter: Record<string, string> = {}): Promise<Logged[]> =>
      eventually(async () => {
        const found = await listed(ana, filter)
        return found.length >= count && found
      }, `${count} failed requests`)

    it('that failed are listed with route, key, code and request id; those that succeeded are not', async () => {
      const began = Date.now()
      await ana.get('/session/status')
      const refused = await ana.post('/send/text', { Phone: '5511999999999' })
      expect(refused.success).to.equal(false)
      const [entry] = await failed(1)
      expect(entry).to.include({
        Method: 'POST',
        Path: '/send/text',
        Status: 400,
        ErrorCode: refused.errorCode,
      })
      expect(entry?.Actor).to.match(/^[\w-]{12}$/)
      expect(Date.parse(entry?.At ?? '')).to.be.within(began, Date.now())
      expect((await listed(ana, { result: 'ok' })).length).to.equal(0)
      expect(entry).not.to.have.property('Body')
    })

    it('are found by request id, route, code and time, page by page', async () => {
      for (const Body of ['1', '2', '3']) await ana.post('/send/text', { Phone: 'nobody', Body })
      const all = await failed(3, { code: 'PHONE_INVALID' })
      expect(all.map(({ At }) => At)).to.deep.equal(
        all
          .map(({ At }) => At)
          .sort()
          .reverse(),
      )
      const [first] = all
      expect(await listed(ana, { request: first?.Id ?? '' })).to.deep.equal([first])
      expect(await listed(ana, { path: '/send/image' })).to.deep.equal([])
      expect(await listed(ana, { until: all.at(-1)?.At ?? '', code: 'PHONE_INVALID' })).to.have.length(0)
      const pages: Logged[] = []
      for (let before = ''; ; ) {
        const { data } = await ana.get(
          `/session/requests?limit=2&code=PHONE_INVALID${before ? `&before=${before}` : ''}`,
        )
        pages.push(...data.Requests)
        before = String(data.Before)
        if (before === '0') break
      }
      expect(pages).to.deep.equal(all)
    })

    it('are those of this session, for callers that may manage it', async () => {
      const bea = await world.linked(await world.phone('Bea'))
      expect(await listed(bea)).to.deep.equal([])
      const wrong = await bea.get('/session/requests?since=yesterday')
      expect(wrong).to.include({ code: 400, errorCode: 'FIELD_INVALID' })
      expect(wrong.error).to.include('since')
      const { data } = await bea.post('/keys', { Name: 'reader', Scopes: ['read'] })
      const reader = await world.gateway.get('/session/requests', { token: data.Key })
      expect(reader.status).to.equal(403)
    })
  })

describe('the requests to a session, all of them with bodies', () => {
  let world: World
  before(async () => {
    world = await startWorld({ config: { 'request-log': { keep: 'changes', bodies: true, rows: 100 } } })
  })
  after(() => world.stop())

  it('keep what was sent, sealed, but no secret', async () => {
    const ana = await world.linked(await world.phone('Ana'))
    const answer = await ana.post('/send/text', { Phone: ana.phone.account.phone, Body: 'to myself' })
    await ana.get('/session/status')
    expect(answer.success, answer.error).to.equal(true)
    const found = await eventually(async () => {
      const all = await listed(ana, { path: '/send/text' })
      return all.length > 0 && all
    }, 'the request')
    expect(JSON.parse(found[0]?.Body ?? '')).to.include({ Body: 'to myself' })
    expect((await listed(ana)).filter(({ Method }) => Method === 'GET')).to.deep.equal([])
  })

  it('are bounded while they are written, not only from hour to hour', async () => {
    const { headers } = await world.linked(await world.phone('Flood'))
    for (let sent = 0; sent < 300; sent += 20)
      await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          world.gateway.post('/send/text', { Phone: 'nobody', Body: `${sent + at}` }, headers),
        ),
      )
    const count = async (): Promise<number> => {
      let before = ''
      for (let all = 0; ; ) {
        const page = await world.gateway.get(`/session/requests?limit=200${before}`, headers)
        all += page.data.Requests.length
        before = `&before=${page.data.Before}`
        if (page.data.Before === 0) return all
      }
    }
    await world.gateway.post('/send/image', { Phone: 'nobody' }, headers)
    await eventually(async () => {
      const last = await world.gateway.get('/session/requests?path=/send/image', headers)
      return last.data.Requests.length > 0
    }, 'the last request')
    await eventually(async () => (await count()) <= 110, 'at most 100 requests and a tenth more')
    expect(await count()).to.be.at.least(100)
  })

  it('are answered as without the log where they delete the session itself', async () => {
    const bea = await world.linked(await world.phone('Bea'))
    const answer = await world.gateway.post('/session/delete', {}, { ...bea.headers, ...admin })
    expect(answer, answer.error).to.include({ success: true })
  })
})
