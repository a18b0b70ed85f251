import { expect } from 'chai'
import type { SessionState } from '../../../kernel/plugin.ts'
import { KEPT } from '../../../plugins/session/history.ts'
import { NEXT, nextStep } from '../../../plugins/session/next.ts'
import { startPostgresProxy } from '../../storage/postgres-proxy.ts'
import { engines, temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { startNetwork } from '../../support/network.ts'
import { startProcess } from '../../support/process.ts'
import { linkPhone, sessionOf } from '../../support/sessions.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

interface Change {
  At: string
  From: string
  To: string
  Cause: string
  Reason: string
}

const historyOf = async (session: Pick<LinkedSession, 'get'>): Promise<Change[]> =>
  (await session.get('/session/history')).data.Changes
const steps = (changes: readonly Change[]): string[] => changes.map(({ From, To }) => `${From} ${To}`)

for (const engine of engines)
  describe(`why a session is not connected, on ${engine.name}`, () => {
    let world: World
    before(async () => {
      world = await startWorld({}, engine)
    })
    after(() => world.stop())

    const rowOf = async ({ token }: LinkedSession) => {
      const { data } = await world.gateway.get('/session/all', admin)
      return data.find(({ Token }: { Token: string }) => Token === token)
    }
    const log = () => world.gateway.lines.map((line) => JSON.parse(line))

    it('is in its status: since when, the last stanza, and that nothing is to be done', async () => {
      const began = Date.now()
      const session = await world.linked(await world.phone('Ana'))
      const status = await session.status({ State: 'open', Reason: '', Next: '' })
      expect(Date.parse(status.Since)).to.be.within(began, Date.now())
      expect(Date.parse(status.LastStanza)).to.be.within(began, Date.now())
      expect(await rowOf(session)).to.include({ State: 'open', Reason: '', Next: '', Since: status.Since })
    })

    it('is listed change by change, newest first', async () => {
      const session = await world.linked(await world.phone('Bea'))
      const changes = await historyOf(session)
      expect(steps(changes)).to.deep.equal([
        'connecting open',
        'scan connecting',
        'connecting scan',
        'offline connecting',
      ])
      const times = changes.map(({ At }) => At)
      expect(times).to.deep.equal([...times].sort().reverse())
    })

    it("reads so when the operator logged out, in place of the network's words", async () => {
      const session = await world.linked(await world.phone('Caio'))
      await session.post('/session/logout')
      const status = await session.status({ State: 'logged-out', Reason: 'logged out on request' })
      expect(status.Next).to.match(/link the phone again/)
      const [newest] = await historyOf(session)
      expect(newest).to.include({
        From: 'open',
        To: 'logged-out',
        Cause: 'logged-out',
        Reason: 'logged out on request',
      })
      const { Id } = await rowOf(session)
      const closed = log().filter(({ msg, session: of }) => msg === 'session closed' && of === Id)
      expect(closed.at(-1)).to.include({ reason: 'logged-out', detail: 'logged out on request', level: 30 })
    })

    it('has the words of the network when the phone unlinked it', async () => {
      const session = await world.linked(await world.phone('Davi'))
      const view = world.gateway.service('sandbox').phones.get(session.phone.account.phone).view()
      const [companion] = view['Companions'] as { JID: string }[]
      await session.phone.act({ Action: 'unlink', Companion: companion?.JID ?? '' })
      const { Reason } = await session.status({ State: 'logged-out' })
      expect(Reason).to.match(/conflict/)
      expect((await historyOf(session))[0]).to.include({ To: 'logged-out', Reason })
    })

    it('stays readable after a disconnect, when there is no client to ask', async () => {
      const session = await world.linked(await world.phone('Eva'))
      await session.post('/session/disconnect')
      expect(await rowOf(session)).to.include({
        State: 'offline',
        Reason: 'disconnected on request',
        Next: NEXT['offline linked'],
      })
      expect(Date.parse((await rowOf(session)).LastStanza)).to.be.NaN
    })

    it('does not list attempts to reconnect, and what came between stays', async () => {
      const session = await world.linked(await world.phone('Flo'))
      const { phone } = session.phone.account
      world.fault({ Phone: phone, Fault: 'failure', Code: 503, Count: 3 })
      world.fault({ Phone: phone, Fault: 'drop' })
      await eventually(async () => (await historyOf(session)).some(({ To }) => To === 'waiting'), 'waiting')
      await session.status({ LoggedIn: true })
      const changes = await historyOf(session)
      expect(changes[0]).to.include({ From: 'waiting', To: 'open' })
      expect(changes.filter(({ From, To }) => From === 'waiting' && To === 'connecting')).to.deep.equal([])
    })

    it(`keeps the last ${KEPT} changes`, async () => {
      const { data } = await world.gateway.post('/session/init', {}, admin)
      const session = sessionOf(world.gateway, data.Token, undefined)
      for (let count = 0; count < KEPT; count += 1) {
        await session.post('/session/connect')
        await session.post('/session/disconnect')
      }
      await eventually(async () => (await historyOf(session)).length === KEPT, 'all kept')
      const [newest] = await historyOf(session)
      expect(newest).to.include({ To: 'offline', Reason: 'disconnected on request' })
      const deleted = { ...admin, token: data.Token }
      expect(await world.gateway.post('/session/delete', {}, deleted)).to.include({ status: 200 })
      expect(await session.get('/session/history')).to.include({ status: 401 })
    })

    it('is told by lines of the log at the default level: linked, connected, closed', async () => {
      const session = await world.linked(await world.phone('Gil'))
      const { Id } = await rowOf(session)
      await session.post('/session/disconnect')
      const lines = log().filter(({ session: of, msg }) => of === Id && String(msg).startsWith('session '))
      expect(lines.map(({ msg }) => msg)).to.deep.equal([
        'session linked',
        'session closed',
        'session connected',
        'session closed',
      ])
      expect(lines.every(({ level }) => level >= 30)).to.equal(true)
      expect(lines.at(-1)).to.include({ reason: 'stopped', detail: 'disconnected on request' })
      const requests = log().filter(({ msg, path }) => msg === 'request' && path === '/session/disconnect')
      expect(requests.at(-1)).to.include({ session: Id })
    })
  })

describe('the history of a session', () => {
  it('outlives the process, also one that is killed', async () => {
    const loose = await startNetwork()
    const env = { WAMUX_DATA_DIR: temporaryFolder(), WAMUX_BAILEYS_NETWORK: loose.card }
    const first = await startProcess(env)
    const phone = await loose.phones.create({ name: 'Shop' })
    const { token, status } = await linkPhone(first, phone)
    await status({ State: 'open' })
    await eventually(async () => {
      const { data } = await first.get('/session/history', { token })
      return data.Changes[0].To === 'open'
    }, 'stored')
    await first.end('SIGTERM')
    const second = await startProcess(env)
    await sessionOf(second, token, phone).status({ LoggedIn: true })
    const changes = await historyOf(sessionOf(second, token, phone))
    expect(steps(changes).slice(0, 4)).to.deep.equal([
      'connecting open',
      'offline connecting',
      'open offline',
      'connecting open',
    ])
    expect(changes[2]?.Reason).to.equal('stopped with the gateway')
    await second.end('SIGKILL')
    const third = await startProcess(env)
    await sessionOf(third, token, phone).status({ LoggedIn: true })
    const later = steps(await historyOf(sessionOf(third, token, phone)))
    expect(later.slice(0, 3)).to.deep.equal(['connecting open', 'offline connecting', 'connecting open'])
    await third.end('SIGTERM')
    await loose.network.close()
  })

  it('has what happened while the database was away, once it is back', async function () {
    const postgres = engines.find(({ name }) => name === 'PostgreSQL')
    if (!postgres) return this.skip()
    const { databaseUrl = '', ...place } = postgres.fresh()
    const proxy = await startPostgresProxy(databaseUrl)
    const world = await startWorld({ databaseUrl: proxy.url, ...place })
    const session = await world.linked(await world.phone('Shop'))
    proxy.refuse(true)
    proxy.cut()
    await session.post('/send/text', { Phone: '5511999999999', Body: 'x' })
    const { Reason, Next } = await session.status({ State: 'waiting' })
    expect(Reason).to.equal('The database does not answer; try again shortly')
    expect(Next).to.equal(NEXT['waiting storage'])
    proxy.refuse(false)
    await session.status({ LoggedIn: true })
    const changes = await eventually(async () => {
      const found = await historyOf(session)
      return found[0]?.To === 'open' && found
    }, 'stored')
    expect(changes[0]).to.include({ From: 'waiting', To: 'open' })
    expect(changes[1]).to.include({ From: 'open', To: 'waiting', Reason })
    await world.stop()
    await proxy.close()
  })
})

describe('what to do next', () => {
  const states = Object.keys(NEXT).filter((place) => !place.includes(' ')) as SessionState[]

  it('is one sentence for every state but open', () => {
    for (const [place, text] of Object.entries(NEXT))
      if (place !== 'open') expect(text, place).to.match(/^[A-Z].*\.$/)
    expect(NEXT.open).to.equal('')
  })

  it('depends on the cause where there is a row for it, and else on the state', () => {
    expect(nextStep('waiting', 'storage', true)).to.equal(NEXT['waiting storage'])
    expect(nextStep('waiting', 'lost', true)).to.equal(NEXT.waiting)
    expect(nextStep('offline', '', true)).to.not.equal(nextStep('offline', '', false))
    for (const state of states) expect(nextStep(state, 'unheard-of', false)).to.equal(NEXT[state])
  })
})
