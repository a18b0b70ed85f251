import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

for (const engine of engines) {
  describe(`webhook filters and own headers on ${engine.name}`, () => {
    let world: World
    let receiver: Receiver
    let session: LinkedSession
    let ana: Phone
    let group: string
    let id: string
    let shop: string

    before(async () => {
      world = await startWorld({ config: { webhook: { retrySeconds: [0.05, 0.1] } } }, engine)
      session = await world.linked(await world.phone('Shop'))
      shop = session.phone.account.phone
      ana = await world.phone('Ana')
      const { JID } = await ana.act({ Action: 'createGroup', Text: 'Team', Participants: [shop] })
      group = String(JID)
      receiver = await startReceiver()
      id = (await session.post('/webhook/endpoints', { URL: receiver.url })).data.Id
    })
    after(async () => {
      await receiver.close()
      await world.stop()
    })

    const change = (fields: Record<string, unknown>) =>
      session.post('/webhook/endpoints', { Id: id, URL: receiver.url, ...fields })
    const filtered = async (Filter: Record<string, unknown>): Promise<void> => {
      const answer = await change({ Filter })
      expect(answer.status, answer.error).to.equal(200)
    }
    const has = (text: string) => receiver.deliveries.some(({ body }) => body.includes(text))
    const arrives = (text: string) => receiver.wait(({ body }) => body.includes(text))
    /** The texts that come through, of those that were logged before `last`, which passes every filter. */
    const passed = async (texts: string[], last: string): Promise<string[]> => {
      await arrives(last)
      return texts.filter(has)
    }
    let count = 0
    const unique = (text: string): string => `${text}-${++count}.`

    it('leave out groups, own messages, and chats, and make no delivery of them', async () => {
      await filtered({ Groups: false, OwnMessages: false })
      const [inGroup, own, last] = [unique('group'), unique('own'), unique('last')]
      await ana.send(group, { Text: inGroup })
      const sent = await session.post('/send/text', { Phone: ana.account.phone, Body: own })
      await ana.wait((message) => message.id === sent.data.Id)
      await ana.send(shop, { Text: last })
      expect(await passed([inGroup, own], last)).to.deep.equal([])
      const { Deliveries } = (await session.get(`/webhook/deliveries?Endpoint=${id}&Limit=1000`)).data
      const { Events } = (await session.get('/events?after=0&limit=500')).data
      const logged = Events.filter((event: object) => JSON.stringify(event).includes(own))
      expect(logged).to.have.length(1)
      const seqs = Deliveries.map(({ Seq }: { Seq: number }) => Seq)
      expect(seqs).not.to.include(logged[0].seq)
    })

    it('allow and deny chats, by number or JID, in either form', async () => {
      const bea = await world.phone('Bea')
      await filtered({ AllowChats: [`+${bea.account.phone}`, group] })
      const [fromAna, fromBea, inGroup] = [unique('ana'), unique('bea'), unique('group')]
      await ana.send(shop, { Text: fromAna })
      await bea.send(shop, { Text: fromBea })
      await ana.send(group, { Text: inGroup })
      await arrives(inGroup)
      await arrives(fromBea)
      expect(has(fromAna)).to.equal(false)
      await filtered({ DenyChats: [bea.account.lid] })
      const [denied, last] = [unique('denied'), unique('last')]
      await bea.send(shop, { Text: denied })
      await ana.send(shop, { Text: last })
      expect(await passed([denied], last)).to.deep.equal([])
    })

    it('leave out other types', async () => {
      await filtered({ Types: ['message'] })
      const { Filter } = (await session.get('/webhook/endpoints')).data.Endpoints[0]
      expect(Filter).to.deep.equal({ Types: ['Message'] })
      const before = receiver.deliveries.length
      const text = unique('typed')
      const sent = await session.post('/send/text', { Phone: ana.account.phone, Body: text })
      await ana.wait((message) => message.id === sent.data.Id)
      const last = unique('last')
      await ana.send(shop, { Text: last })
      await arrives(last)
      const types = receiver.deliveries.slice(before).map(({ body }) => JSON.parse(body).type)
      expect(new Set(types)).to.deep.equal(new Set(['Message']))
      await filtered({})
      expect((await session.get('/webhook/endpoints')).data.Endpoints[0]).not.to.have.property('Filter')
    })

    const refused: [fields: Record<string, unknown>, names: string][] = [
      [{ Filter: { Types: ['Nonsense'] } }, 'Filter.Types'],
      [{ Filter: { AllowChats: ['the shop'] } }, 'Filter.AllowChats'],
      [{ Filter: { DenyChats: ['x@example.com'] } }, 'Filter.DenyChats'],
      [{ Filter: { Group: false } }, 'Group'],
      [{ Filter: { AllowChats: Array(1001).fill('5511999999999') } }, 'AllowChats'],
      [{ Headers: { 'Webhook-Signature': 'mine' } }, 'Headers.Webhook-Signature'],
      [{ Headers: { 'x-hmac-signature': 'mine' } }, 'Headers.x-hmac-signature'],
      [{ Headers: { Connection: 'close' } }, 'Headers.Connection'],
      [{ Headers: { 'Content-Type': 'text/plain' } }, 'Headers.Content-Type'],
      [{ Headers: { Host: 'elsewhere' } }, 'Headers.Host'],
      [{ Headers: { 'a b': 'x' } }, 'Headers.a b'],
      [{ Headers: { 'X-A': 'line\nbreak' } }, 'Headers.X-A'],
      [{ Headers: { 'X-A': '1', 'x-a': '2' } }, 'Headers.x-a'],
      [{ Headers: { 'X-A': 'x'.repeat(5000) } }, 'Headers'],
    ]
    for (const [fields, names] of refused) {
      it(`refuse ${JSON.stringify(fields).slice(0, 60)}, naming ${names}`, async () => {
        const answer = await change(fields)
        expect(answer.status).to.equal(400)
        expect(answer.error).to.include(names)
      })
    }

    it('send own headers, whose values are never shown', async () => {
      const answer = await change({ Headers: { Authorization: 'Bearer s3cret-value', 'X-Shop': 'one' } })
      expect(answer.data.Headers).to.deep.equal({ authorization: '***', 'x-shop': '***' })
      const text = unique('with headers')
      await ana.send(shop, { Text: text })
      const { headers } = await arrives(text)
      expect(headers).to.include({
        authorization: 'Bearer s3cret-value',
        'x-shop': 'one',
        'user-agent': 'wamux',
      })
      const listed = JSON.stringify((await session.get('/webhook/endpoints')).data)
      expect(listed).not.to.include('s3cret-value')
      expect(world.gateway.lines.join('')).not.to.include('s3cret-value')
    })

    it('hold for the main webhook, too', async () => {
      const main = await startReceiver()
      const fields = { WebhookURL: main.url, Filter: { Groups: false }, Headers: { 'X-Main': 'yes' } }
      await session.post('/webhook', fields)
      const shown = (await session.get('/webhook')).data
      expect(shown).to.deep.include({ Filter: { Groups: false }, Headers: { 'x-main': '***' } })
      const [inGroup, last] = [unique('group'), unique('last')]
      await ana.send(group, { Text: inGroup })
      await ana.send(shop, { Text: last })
      const { headers } = await main.wait(({ body }) => body.includes(last))
      expect(headers).to.include({ 'x-main': 'yes' })
      expect(main.deliveries.some(({ body }) => body.includes(inGroup))).to.equal(false)
      await session.post('/webhook', { WebhookURL: '' })
      await main.close()
    })

    describe('a webhook of all sessions', () => {
      let everything: Receiver
      let second: LinkedSession
      let globalId: string
      let secret: string
      const post = (path: string, body: Record<string, unknown>) => world.gateway.post(path, body, admin)

      before(async () => {
        everything = await startReceiver()
        second = await world.linked(await world.phone('Second'))
        const { data } = await post('/webhook/global', { URL: everything.url, Subscribe: ['Message'] })
        globalId = data.Id
        secret = data.Secret
      })
      after(() => everything.close())

      it('gets the events of each, signed, without the token', async () => {
        const [one, two] = [unique('to one'), unique('to two')]
        await ana.send(shop, { Text: one })
        await ana.send(second.phone.account.phone, { Text: two })
        for (const [text, name, owner] of [
          [one, 'Shop', session],
          [two, 'Second', second],
        ] as const) {
          const { body, headers } = await everything.wait((delivery) => delivery.body.includes(text))
          const parsed = JSON.parse(body)
          expect(parsed).to.include({ instanceName: name, jid: owner.phone.account.jid })
          expect(parsed.userID).to.equal(headers['x-gateway-session'])
          expect(body).not.to.include(owner.token)
          expect(() => new Webhook(secret).verify(body, headers)).not.to.throw()
        }
      })

      it('includes the token where asked to, and keeps the order of each chat', async () => {
        await post('/webhook/global', { Id: globalId, URL: everything.url, IncludeToken: true })
        let failures = 1
        const texts = [unique('first'), unique('second'), unique('third')]
        everything.answer(({ body }) =>
          body.includes(texts[0] ?? '') && failures-- > 0 ? { status: 500 } : { status: 200 },
        )
        for (const text of texts) await ana.send(shop, { Text: text })
        const { body } = await everything.wait((delivery) => delivery.body.includes(texts[2] ?? ''))
        expect(JSON.parse(body)).to.include({ token: session.token })
        const order = everything.deliveries.flatMap(({ body }) => texts.filter((text) => body.includes(text)))
        expect(order).to.deep.equal([texts[0], ...texts])
      })

      it('lists and replays deliveries, with the session of each', async () => {
        const { Deliveries } = (await world.gateway.get('/webhook/global/deliveries?State=done', admin)).data
        expect(new Set(Deliveries.map(({ Session }: { Session: string }) => Session)).size).to.equal(2)
        const [{ Id }] = Deliveries
        const before = everything.deliveries.length
        const answer = await post('/webhook/global/replay', { Endpoint: globalId, Id })
        expect(answer.data).to.deep.equal({ Replayed: 1 })
        await everything.count(before + 1)
        expect(JSON.parse(everything.deliveries.at(-1)?.body ?? '').eventId).to.equal(Id)
      })

      it('goes on after the deletion of a session', async () => {
        expect((await post('/session/delete', { Token: second.token })).status).to.equal(200)
        const text = unique('still')
        await ana.send(shop, { Text: text })
        await everything.wait(({ body }) => body.includes(text))
      })

      it('is for admins alone, and is neither shown nor changed by a session', async () => {
        expect((await world.gateway.get('/webhook/global', session.headers)).status).to.equal(401)
        expect((await post('/webhook/global', { URL: 'ftp://x' })).status).to.equal(400)
        const { Endpoints } = (await session.get('/webhook/endpoints')).data
        expect(Endpoints.map(({ Id }: { Id: string }) => Id)).to.deep.equal([id])
        const answer = await session.post('/webhook/endpoints', { Id: globalId, URL: everything.url })
        expect(answer.status).to.equal(404)
        const listed = (await world.gateway.get('/webhook/global', admin)).data.Endpoints
        expect(listed).to.have.length(1)
        expect(listed[0]).to.deep.include({ Id: globalId, URL: everything.url, IncludeToken: true })
      })

      it('is removed', async () => {
        const options = { body: { Id: globalId }, headers: admin }
        expect((await world.gateway.call('DELETE', '/webhook/global', options)).status).to.equal(200)
        expect((await world.gateway.get('/webhook/global', admin)).data.Endpoints).to.deep.equal([])
      })
    })
  })
}
