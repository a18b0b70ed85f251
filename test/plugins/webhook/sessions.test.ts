import { expect } from 'chai'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

interface Row {
  readonly Session: string
  readonly Name: string
  readonly Id: string
  readonly URL: string
  readonly State: string
  readonly FailingSince: string
  readonly Pending: number
  readonly Dead: number
}

for (const engine of engines)
  describe(`the webhooks of the sessions on ${engine.name}`, () => {
    let world: World
    let shop: LinkedSession
    let receiver: Receiver
    const ids: Record<string, string> = {}

    before(async () => {
      world = await startWorld(
        { config: { webhook: { retrySeconds: [0.05], breakerFailures: 500 } } },
        engine,
      )
      receiver = await startReceiver()
      for (const Name of ['cafe', 'bakery', 'shop', 'atelier']) {
        const { data } = await world.gateway.post('/session/init', { Name }, admin)
        ids[Name] = data.Id
        const headers = { token: data.Token }
        if (Name !== 'atelier')
          await world.gateway.post('/webhook', { WebhookURL: `${receiver.url}/${Name}` }, headers)
        if (Name === 'cafe')
          await world.gateway.post('/webhook', { WebhookURL: `${receiver.url}/cafe`, Paused: true }, headers)
      }
      shop = await world.linked(await world.phone('Linked'))
      await shop.post('/webhook', { WebhookURL: `${receiver.url}/own`, Subscribe: ['Message'] })
      await shop.post('/webhook/endpoints', { URL: `${receiver.url}/second`, Subscribe: ['Message'] })
      await world.gateway.post('/webhook/global', { URL: `${receiver.url}/all`, Subscribe: ['None'] }, admin)
    })
    after(async () => {
      await world.stop()
      await receiver.close()
    })

    const list = async (headers: Record<string, string>, query = '') => {
      const { status, error, data } = await world.gateway.get(`/webhook/sessions${query}`, headers)
      expect(status, error).to.equal(200)
      return data as { Webhooks: Row[]; Next: number; Total: number; Failing: number }
    }
    const places = (rows: readonly Row[]) => rows.map(({ URL }) => URL.split('/').at(-1))

    it('are listed with their session and state, failing ones first, page by page', async () => {
      receiver.answer(({ path }) => ({ status: path.endsWith('/second') ? 500 : 200 }))
      const phone = await world.phone('Customer')
      await phone.send(shop.phone.account.phone, { Text: 'hello' })
      const all = await eventually(async () => {
        const found = await list(admin)
        return found.Failing === 1 && found.Webhooks[0]?.Pending === 0 && found
      }, 'one fails, and its retries are over')
      expect(places(all.Webhooks)).to.have.ordered.members([
        'second',
        'cafe',
        ...places(all.Webhooks.slice(2)),
      ])
      expect(places(all.Webhooks.slice(2))).to.have.members(['own', 'bakery', 'shop'])
      expect(all).to.include({ Total: 5, Next: 5 })
      expect(all.Webhooks[0]).to.include({ State: 'active', Pending: 0 })
      expect(all.Webhooks[0]?.Dead).to.be.above(0)
      expect(Date.parse(all.Webhooks[0]?.FailingSince ?? '')).to.be.closeTo(Date.now(), 60_000)
      expect(all.Webhooks[1]).to.deep.include({
        Id: 'main',
        Session: ids['cafe'],
        Name: 'cafe',
        State: 'paused',
        FailingSince: '',
        Pending: 0,
        Dead: 0,
      })
      const first = await list(admin, '?Limit=2')
      const second = await list(admin, `?Limit=2&After=${first.Next}`)
      const last = await list(admin, `?Limit=2&After=${second.Next}`)
      expect([first, second, last].flatMap(({ Webhooks }) => Webhooks)).to.deep.equal(all.Webhooks)
      expect(last).to.include({ Total: 5, Next: 5, Failing: 1 })
    })

    it('are for a key those of its sessions, and for a token its own', async () => {
      const key = { Name: 'ops', Scopes: ['read'], Sessions: [ids['bakery']] }
      const { Key } = (await world.gateway.post('/keys', key, admin)).data
      expect(places((await list({ token: Key })).Webhooks)).to.deep.equal(['bakery'])
      expect(places((await list(shop.headers)).Webhooks)).to.have.members(['own', 'second'])
      expect(await world.gateway.get('/webhook/sessions')).to.include({ status: 401 })
      expect(await world.gateway.get('/webhook/sessions?Limit=many', admin)).to.include({ status: 400 })
    })
  })
