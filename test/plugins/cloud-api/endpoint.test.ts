import { expect } from 'chai'
import cloudApi from '../../../plugins/cloud-api/index.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { openShop, type Shop } from '../../support/world.ts'
import { type CloudReceiver, isSigned, setWebhook, startCloudReceiver, textsOf, valueIn } from './receiver.ts'

for (const engine of engines) {
  describe(`an endpoint of the Cloud API, as any other webhook, ${engine.name}`, () => {
    let shop: Shop
    let receiver: CloudReceiver
    let number: string
    let id: string
    before(async () => {
      const webhook = { retrySeconds: [0.1, 0.1, 600], breakerFailures: 2, breakerSeconds: 600 }
      shop = await openShop({ extra: [cloudApi], config: { webhook } }, engine)
      number = shop.session.phone.account.phone
    })
    after(() => shop.world.stop())
    beforeEach(async () => {
      // Each has a port, and with it a breaker, of its own.
      receiver = await startCloudReceiver()
      const set = await setWebhook(shop.world, shop.session, receiver.url)
      expect(set.status, set.error).to.equal(200)
      id = set.data.Endpoint
    })
    afterEach(async () => {
      await shop.world.gateway.call('DELETE', '/cloud-api/webhook', { headers: shop.session.headers })
      await receiver.close()
    })
    const { call, get, post } = {
      call: (method: string, path: string, body: object) =>
        shop.world.gateway.call(method, path, { headers: shop.session.headers, body }),
      get: async (path: string) => (await shop.session.get(path)).data,
      post: async (path: string, body: object = {}) => (await shop.session.post(path, body)).data,
    }
    const say = (Text: string): Promise<string> => shop.ana.send(number, { Text })
    const arrives = (text: string) => receiver.body((value) => textsOf([value]).includes(text))
    const health = async () => {
      const { Endpoints } = await get('/webhook/health')
      return Endpoints.find(({ Id }: { Id: string }) => Id === id)
    }
    const dead = () =>
      eventually(async () => {
        const { Deliveries } = await get(`/webhook/deliveries?Endpoint=${id}&State=dead`)
        return Deliveries.length > 0 && Deliveries
      }, 'a dead letter')

    it('is listed with its format, tested, and removed by the routes of webhooks', async () => {
      const { Endpoints } = await get('/webhook/endpoints')
      const shown = Endpoints.find(({ Id }: { Id: string }) => Id === id)
      const wanted = { URL: receiver.url, Format: 'cloud-api', Edits: 'unsupported', State: 'active' }
      expect(shown).to.include(wanted)
      expect(await post('/webhook/test', { Endpoint: id })).to.include({ Delivered: true })
      const test = receiver.deliveries.at(-1)
      expect(test && isSigned(test)).to.equal(true)
      expect(valueIn(test?.body ?? '')).to.include({ messaging_product: 'whatsapp' })
      await call('DELETE', '/webhook/endpoints', { Id: id })
      expect(await get('/cloud-api')).to.include({ URL: '', Endpoint: '', State: 'none' })
    })

    it('is gone after a 410, with all that waited, until it is set again', async () => {
      receiver.answer(() => ({ status: 410 }))
      await say('gone')
      await dead()
      const state = await eventually(async () => {
        const found = await get('/cloud-api')
        return found.State === 'gone' && found
      }, 'gone')
      expect(state.Reason).to.include('410')
      receiver.answer(() => ({ status: 200 }))
      const { length } = receiver.deliveries
      expect((await setWebhook(shop.world, shop.session, receiver.url)).data).to.include({
        State: 'active',
        Reason: '',
      })
      await say('back')
      await arrives('back')
      expect(textsOf(receiver.bodies().slice(length - 1))).to.include('back')
    })

    it('waits as Retry-After says', async () => {
      let isFirst = true
      receiver.answer(() => {
        const status = isFirst ? 503 : 200
        isFirst = false
        return { status, headers: { 'retry-after': '1' } }
      })
      await say('later')
      const began = Date.now()
      await receiver.wait(({ headers }) => headers['x-webhook-attempt'] === '2')
      expect(Date.now() - began).to.be.greaterThan(800)
    })

    it('is left alone while the breaker of its host is open', async () => {
      receiver.answer(() => ({ status: 503, body: 'maintenance' }))
      await say('down')
      await eventually(async () => (await health()).Breaker === 'open', 'open')
      await say('not tried')
      await eventually(async () => (await health()).Pending === 2, 'two wait')
      expect(receiver.bodies()).to.have.length(2)
      expect(await get('/cloud-api')).to.include({ Waiting: 2, LastError: 'status 503' })
    })

    it('gets what its subscription and its filter let pass', async () => {
      const change = {
        Id: id,
        URL: receiver.url,
        Subscribe: ['Message'],
        Filter: { DenyChats: ['5511900009999'] },
      }
      expect((await shop.session.post('/webhook/endpoints', change)).status).to.equal(200)
      const sent = await shop.session.post('/send/text', {
        Phone: shop.ana.account.phone,
        Body: 'for receipts',
      })
      await shop.ana.wait((message) => message.id === sent.data.Id)
      await say('passes')
      await arrives('passes')
      await shop.session.post('/webhook/endpoints', {
        ...change,
        Filter: { DenyChats: [shop.ana.account.phone] },
      })
      await say('denied')
      const bea = await shop.world.phone('Bea')
      await bea.send(number, { Text: 'from another' })
      await arrives('from another')
      expect(textsOf(receiver.bodies())).to.deep.equal(['passes', 'from another'])
      expect(receiver.bodies().filter(({ statuses }) => statuses)).to.deep.equal([])
    })

    it('has its attempts listed, and its dead letters replayed', async () => {
      await say('fine')
      await arrives('fine')
      receiver.answer(({ body }) =>
        body.includes('odd') ? { status: 400, body: 'unknown field' } : { status: 200 },
      )
      const message = await say('odd')
      await receiver.wait(({ body, headers }) => body.includes('odd') && headers['x-webhook-attempt'] === '2')
      await say('next')
      const [letter] = await dead()
      const { Attempts } = await get(`/webhook/attempts?Id=${letter.Id}&Endpoint=${id}`)
      const seen = Attempts.map(({ Status, Answer }: { Status: string; Answer: string }) => [Status, Answer])
      expect(seen).to.deep.equal(Array.from({ length: 3 }, () => ['status 400', 'unknown field']))
      expect(await get('/cloud-api')).to.include({ Waiting: 0, Dead: 1 })
      receiver.answer(() => ({ status: 200 }))
      const before = receiver.bodies().length
      expect(await post('/webhook/replay', { Endpoint: id, State: 'dead' })).to.deep.equal({ Replayed: 1 })
      await eventually(async () => (await get('/cloud-api')).Dead === 0, 'no dead letter')
      await receiver.wait(() => receiver.bodies().length > before)
      expect(receiver.bodies().at(-1)?.messages?.[0]).to.include({ id: message })
    })
  })
}
