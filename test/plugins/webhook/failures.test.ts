import { expect } from 'chai'
import { PARTS } from '../../../plugins/webhook/delivery/failures.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

interface Group {
  readonly URL: string
  readonly Error: string
  readonly Attempts: number
  readonly Events: number
  readonly Undelivered: number
  readonly First: string
  readonly Last: string
  readonly Counts: readonly number[]
  readonly Webhooks: readonly { Endpoint: string; Session: string; Name: string; Undelivered: number }[]
  readonly Examples: readonly { Id: string; Type: string; Session: string; At: string }[]
}

const hasError = (text: string) => (group: Group) => group.Error === text

for (const engine of engines) {
  describe(`failed deliveries on ${engine.name}`, () => {
    let world: World
    let shop: LinkedSession
    let other: LinkedSession
    let receiver: Receiver
    let [shopId, otherId] = ['', '']

    before(async () => {
      // One retry at once, then dead letters.
      world = await startWorld({ config: { webhook: { retrySeconds: [0.05] } } }, engine)
      shop = await world.linked(await world.phone('Shop'))
      other = await world.linked(await world.phone('Other'))
      const idOf = async (one: LinkedSession): Promise<string> =>
        (await world.gateway.get('/session/summary', one.headers)).data.Sessions[0].Id
      ;[shopId, otherId] = [await idOf(shop), await idOf(other)]
    })
    after(() => world.stop())
    beforeEach(async () => {
      receiver = await startReceiver()
      for (const session of [shop, other])
        await session.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] })
    })
    afterEach(() => receiver.close())

    async function say(session: LinkedSession, ...texts: string[]): Promise<void> {
      const phone = await world.phone('Customer')
      for (const Text of texts) await phone.send(session.phone.account.phone, { Text })
    }
    const groupsOf = async (headers: Record<string, string>, query = ''): Promise<Group[]> => {
      const { status, error, data } = await world.gateway.get(`/webhook/failures${query}`, headers)
      expect(status, error).to.equal(200)
      return data.Failures.filter(({ URL }: Group) => URL === receiver.url)
    }
    const dead = (session: LinkedSession, count: number) =>
      eventually(
        async () =>
          (await session.get('/webhook/deliveries?State=dead')).data.Deliveries.filter(
            ({ Last }: { Last: string }) => Last.startsWith('status 4'),
          ).length === count,
        `${count} dead letters`,
      )
    const bodies = (text: string): number =>
      receiver.deliveries.filter(({ body }) => body.includes(text)).length

    it('are grouped by receiver and error, with times, parts of the range and examples', async () => {
      receiver.answer(({ body }) => ({ status: body.includes('refused') ? 401 : 503 }))
      const since = new Date().toISOString()
      await say(shop, 'refused one', 'refused two')
      await dead(shop, 2)
      await say(other, 'refused three', 'broken')
      await dead(other, 1)
      const groups = await eventually(async () => {
        const found = await groupsOf(admin, `?Since=${since}`)
        return found.length === 2 && found.reduce((sum, { Attempts }) => sum + Attempts, 0) === 8 && found
      }, 'eight failed attempts')
      const [refused, broken] = groups as [Group, Group]
      expect(refused).to.include({ Error: 'status 401', Attempts: 6, Events: 3, Undelivered: 3 })
      expect(broken).to.include({ Error: 'status 503', Attempts: 2, Events: 1, Undelivered: 1 })
      expect(
        refused.Webhooks.map(({ Endpoint, Session, Undelivered }) => [Endpoint, Session, Undelivered]),
      ).to.have.deep.members([
        ['main', shopId, 2],
        ['main', otherId, 1],
      ])
      expect(refused.Counts).to.have.length(PARTS)
      expect(refused.Counts.reduce((sum, one) => sum + one, 0)).to.equal(6)
      expect(Date.parse(refused.First)).to.be.within(Date.parse(since), Date.parse(refused.Last))
      expect(refused.Examples.map(({ Type }) => Type)).to.deep.equal(['Message', 'Message', 'Message'])
      expect(refused.Examples[0]?.Session).to.equal(otherId)

      // A token sees its own session, a key those that it covers, and neither the webhooks of all sessions.
      expect(await groupsOf(shop.headers)).to.have.nested.property('[0].Events', 2)
      const key = { Name: 'ops', Scopes: ['read'], Sessions: [otherId] }
      const { Key } = (await world.gateway.post('/keys', key, admin)).data
      const seen = await groupsOf({ token: Key })
      expect(new Set(seen.flatMap(({ Webhooks }) => Webhooks.map(({ Session }) => Session)))).to.deep.equal(
        new Set([otherId]),
      )
      // Those of one session are chosen by its id, and only among those that the credentials may see.
      const kinds = (groups: readonly Group[]) =>
        groups.map((group) => [group.Error, group.Events, group.Webhooks])
      const chosen = await groupsOf(admin, `?Session=${otherId}&Since=${since}`)
      expect(kinds(chosen)).to.deep.equal(kinds(seen))
      for (const [headers, id] of [
        [admin, 'nobody'],
        [{ token: Key }, shopId],
        [shop.headers, otherId],
      ] as const)
        expect(
          await world.gateway.get(`/webhook/failures?Session=${id}`, headers as Record<string, string>),
        ).to.include({ status: 404, errorCode: 'ITEM_UNKNOWN' })
      // Nothing failed before.
      expect(await groupsOf(admin, `?Until=${since}`)).to.deep.equal([])
    })

    it('are replayed as one group: only its error, its time, and what is not delivered yet', async () => {
      receiver.answer(({ body }) => ({ status: body.includes('unknown') ? 404 : 401 }))
      await say(shop, 'early')
      await dead(shop, 3)
      const Since = new Date().toISOString()
      await say(shop, 'late one', 'late two', 'unknown')
      await dead(shop, 6)
      const [first] = (await shop.get('/webhook/deliveries?Order=newest&Limit=3')).data.Deliveries
      expect(first.Last).to.equal('status 404')
      receiver.answer(() => ({ status: 200 }))
      const before = receiver.deliveries.length
      const [late] = (await groupsOf(shop.headers, `?Since=${Since}`)).filter(hasError('status 401'))
      expect(late).to.include({ Undelivered: 2, Events: 2 })
      const replay = async (body: object) => shop.post('/webhook/replay', body)
      const group = { Error: 'status 401', Since, Until: late?.Last }
      expect((await replay(group)).data).to.deep.equal({ Replayed: 2 })
      await eventually(() => bodies('late one') === 3 && bodies('late two') === 3, 'delivered again')
      const done = await eventually(async () => {
        const [now] = (await groupsOf(shop.headers, `?Since=${Since}`)).filter(hasError('status 401'))
        return now?.Undelivered === 0 && now
      }, 'all of the group delivered')
      expect(done).to.include({ Attempts: late?.Attempts, Events: 2 })
      // What was delivered is not delivered a second time.
      expect((await replay(group)).data).to.deep.equal({ Replayed: 0 })
      expect(receiver.deliveries.length).to.equal(before + 2)
      expect([bodies('early'), bodies('unknown')]).to.deep.equal([2, 2])
    })

    it('of one session are replayed by a token only to its own webhook', async () => {
      receiver.answer(() => ({ status: 418 }))
      await say(other, 'not for the shop')
      await eventually(async () => (await groupsOf(other.headers)).some(hasError('status 418')), 'a failure')
      expect((await shop.post('/webhook/replay', { Error: 'status 418' })).data).to.deep.equal({
        Replayed: 0,
      })
    })

    it('name the field that is wrong', async () => {
      for (const [query, field] of [
        ['Since=yesterday', 'Since'],
        ['Until=never', 'Until'],
        ['Since=2026-01-02T00:00:00Z&Until=2026-01-01T00:00:00Z', 'Since'],
      ] as const) {
        const { status, error } = await shop.get(`/webhook/failures?${query}`)
        expect(status).to.equal(400)
        expect(error).to.include(field)
      }
      for (const other of [{ State: 'dead' }, { FromSeq: 1 }, { Missing: true }, { Id: 'evt_x' }]) {
        const { status, error } = await shop.post('/webhook/replay', { Error: 'status 401', ...other })
        expect(status).to.equal(400)
        expect(error).to.include(Object.keys(other)[0])
      }
      expect(await world.gateway.get('/webhook/failures')).to.include({ status: 401 })
    })

    it('and deliveries are listed for a time', async () => {
      await say(shop, 'first')
      await receiver.wait(({ body }) => body.includes('first'))
      await new Promise((resolve) => setTimeout(resolve, 2))
      const at = new Date().toISOString()
      await say(shop, 'second')
      await receiver.wait(({ body }) => body.includes('second'))
      const seqs = async (query: string): Promise<number[]> =>
        (await shop.get(`/webhook/deliveries?Limit=1000&${query}`)).data.Deliveries.map(
          ({ Seq }: { Seq: number }) => Seq,
        )
      const [all, since, until] = await Promise.all([
        seqs('Order=newest'),
        seqs(`Order=newest&Since=${at}`),
        seqs(`Until=${at}`),
      ])
      expect(since).to.deep.equal(all.slice(0, 1))
      expect(until).to.deep.equal(all.slice(1).reverse())
      expect(await seqs(`Since=${at}&After=${all[0]}`)).to.deep.equal([])
      expect(await shop.get('/webhook/deliveries?Since=soon')).to.include({ status: 400 })
    })
  })
}
