import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

const Secret = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz'

for (const engine of engines) {
  describe(`the preview of a webhook on ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    let ana: Phone

    before(async () => {
      world = await startWorld({}, engine)
      session = await world.linked(await world.phone('Shop'))
      ana = await world.phone('Ana')
    })
    after(() => world.stop())

    async function eventOf(from: Phone, Text: string): Promise<string> {
      await from.send(session.phone.account.phone, { Text })
      return eventually(async () => {
        const { data } = await session.get('/events?class=Message&limit=500')
        return data.Events.find((event: object) => JSON.stringify(event).includes(Text))?.eventId as string
      }, `the event of "${Text}"`)
    }

    it('has the headers, the signature and the body of a delivery', async () => {
      const Id = await eventOf(ana, 'a preview')
      const { data } = await session.post('/webhook/preview', { Id, Secret })
      expect(data.Requests).to.have.length(1)
      const [{ Headers, Body }] = data.Requests
      const text = Buffer.from(Body, 'base64').toString()
      const event = new Webhook(Secret).verify(text, Headers) as {
        eventId: string
        message: { text: string }
      }
      expect(event).to.include({ type: 'Message', eventId: Id })
      expect(event.message.text).to.equal('a preview')
      expect(Headers).to.include({ 'webhook-id': Id, 'x-webhook-attempt': '1' })
    })

    it('is in the chosen format, and unsigned without a secret', async () => {
      const Id = await eventOf(ana, 'as a form')
      const [{ Headers, Body }] = (await session.post('/webhook/preview', { Id, Format: 'form' })).data
        .Requests
      expect(Headers).not.to.have.property('webhook-signature')
      const form = new URLSearchParams(Buffer.from(Body, 'base64').toString())
      expect(form.get('token')).to.equal(session.headers.token)
      expect(JSON.parse(form.get('jsonData') ?? '').eventId).to.equal(Id)
    })

    it('sends nothing, and stores no delivery', async () => {
      const Id = await eventOf(ana, 'nothing sent')
      await session.post('/webhook/preview', { Id })
      expect((await session.get('/webhook/deliveries')).data.Deliveries).to.deep.equal([])
      expect((await session.get(`/webhook/attempts?Id=${Id}`)).data.Attempts).to.deep.equal([])
    })

    it('is refused for a format, a secret or an event that there is not', async () => {
      const Id = await eventOf(ana, 'refused')
      for (const [more, said] of [
        [{ Format: 'nonsense' }, /Format/],
        [{ Secret: 'short' }, /Secret/],
        [{ Edits: 'unsupported' }, /Edits/],
      ] as const) {
        const { status, error } = await session.post('/webhook/preview', { Id, ...more })
        expect(status, error).to.equal(400)
        expect(error).to.match(said)
      }
      expect(await session.post('/webhook/preview', {})).to.include({ status: 400 })
      expect(await session.post('/webhook/preview', { Id: 'evt_unknown' })).to.include({ status: 404 })
    })

    it("shows no event of another session, nor one of a chat that a key can't see", async () => {
      const other = await world.linked(await world.phone('Other'))
      const bob = await world.phone('Bob')
      const Id = await eventOf(bob, 'for the shop alone')
      expect(await other.post('/webhook/preview', { Id })).to.include({ status: 404 })
      const limits = { Name: 'ana', Scopes: ['manage'], Chats: [ana.account.phone] }
      const { data } = await session.post('/keys', limits)
      const key = { token: data.Key }
      expect(await world.gateway.post('/webhook/preview', { Id }, key)).to.include({ status: 404 })
      const seen = await eventOf(ana, 'for both')
      const shown = await world.gateway.post('/webhook/preview', { Id: seen, Format: 'form' }, key)
      expect(shown.status, shown.error).to.equal(200)
      const form = Buffer.from(shown.data.Requests[0].Body, 'base64').toString()
      expect(new URLSearchParams(form).get('token')).to.equal('')
    })

    it('says which of the newest events a webhook would receive, and what leaves out the others', async () => {
      const shop = await world.linked(await world.phone('Matches'))
      const phone = shop.phone.account.phone
      await ana.send(phone, { Text: 'from Ana' })
      const bob = await world.phone('Barbara')
      await bob.send(phone, { Text: 'from Barbara' })
      const matches = async (body: object) => {
        const { status, error, data } = await shop.post('/webhook/preview/events', body)
        expect(status, error).to.equal(200)
        return data.Events as { Type: string; Text: string; Passes: boolean; LeftOutBy: string }[]
      }
      await eventually(
        async () => (await matches({})).some(({ Text }) => Text === 'from Barbara'),
        'both events',
      )
      const all = await matches({})
      expect(all.every(({ Passes }) => Passes)).to.equal(true)
      expect(await matches({ Limit: '1' })).to.have.length(1)
      const chosen = await matches({
        Subscribe: ['Message'],
        Filter: { DenyChats: [ana.account.phone] },
      })
      expect(chosen.filter(({ Text }) => Text).map(({ Text, LeftOutBy }) => [Text, LeftOutBy])).to.deep.equal(
        [
          ['from Barbara', ''],
          ['from Ana', 'filter'],
        ],
      )
      expect(chosen.find(({ Type }) => Type !== 'Message')).to.include({ Passes: false, LeftOutBy: 'class' })
      const wrong = await shop.post('/webhook/preview/events', { Filter: { Types: ['Nonsense'] } })
      expect(wrong).to.include({ status: 400 })
      expect(wrong.error).to.include('Filter.Types')
      // Of all sessions for the administrator; of the chats that a key sees for that key.
      const global = await world.gateway.post('/webhook/global/preview/events', { Limit: '100' }, admin)
      expect(
        new Set(global.data.Events.map(({ Session }: { Session: string }) => Session)).size,
      ).to.be.greaterThan(1)
      const limits = { Name: 'ana only', Scopes: ['manage'], Chats: [ana.account.phone] }
      const key = { token: (await shop.post('/keys', limits)).data.Key }
      const { data } = await world.gateway.post('/webhook/preview/events', {}, key)
      const texts = data.Events.map(({ Text }: { Text: string }) => Text)
      expect(texts).to.include('from Ana').and.not.to.include('from Barbara')
      expect(await world.gateway.post('/webhook/global/preview/events', {}, key)).to.include({ status: 403 })
    })
  })
}
