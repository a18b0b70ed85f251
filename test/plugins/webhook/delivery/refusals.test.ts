import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../../support/servers/receiver.ts'
import { type LinkedSession, startWorld, type World } from '../../../support/world.ts'

for (const engine of engines) {
  describe(`webhooks that refuse some bodies, on ${engine.name}`, () => {
    let world: World
    let receiver: Receiver
    let session: LinkedSession
    let ana: Phone
    before(async () => {
      // As by default, up to the third attempt.
      world = await startWorld({ config: { webhook: { retrySeconds: [5, 2, 120, 300, 1800] } } }, engine)
      session = await world.linked(await world.phone('Shop'), { subscribe: ['Message'] })
      ana = await world.phone('Ana')
    })
    after(() => world.stop())
    beforeEach(async () => {
      receiver = await startReceiver()
      await session.post('/webhook', { WebhookURL: receiver.url })
    })
    afterEach(() => receiver.close())

    const say = (Text: string): Promise<string> => ana.send(session.phone.account.phone, { Text })
    const arrives = (text: string) => receiver.wait(({ body }) => body.includes(text))
    const tries = (text: string) => receiver.deliveries.filter(({ body }) => body.includes(text)).length
    const inState = async (State: string) =>
      (await session.get(`/webhook/deliveries?State=${State}`)).data.Deliveries
    const strict = (...words: string[]) =>
      receiver.answer(({ body }) => ({ status: words.some((word) => body.includes(word)) ? 422 : 200 }))

    it('get the next message of the chat within seconds, and a dead letter of the refused one, which is replayed', async () => {
      await say('hello')
      await arrives('hello')
      strict('odd')
      await say('odd')
      await arrives('odd')
      const began = Date.now()
      await say('and now?')
      await arrives('and now?')
      expect(Date.now() - began).to.be.lessThan(4_000)
      expect(tries('odd')).to.equal(2)
      const [dead] = await eventually(async () => {
        const found = await inState('dead')
        return found.length > 0 && found
      }, 'a dead letter')
      expect(dead).to.include({ Attempts: 3, Last: 'status 422: refused while others are accepted' })
      receiver.answer(() => ({ status: 200 }))
      expect((await session.post('/webhook/replay', { State: 'dead' })).data.Replayed).to.equal(1)
      await eventually(
        async () => (await inState('dead')).length === 0 && (await inState('pending')).length === 0,
        'accepted',
      )
      expect(tries('odd')).to.equal(4)
    })

    it('are known as such after a restart too, by what they accepted before', async () => {
      const place = { ...engine.fresh(), config: { webhook: { retrySeconds: [0.5, 0.5, 120] } } }
      const first = await startWorld({ ...place }, engine)
      const shop = await first.linked(await first.phone('Shop'), { subscribe: ['Message'] })
      const bob = await first.phone('Bob')
      await shop.post('/webhook', { WebhookURL: receiver.url })
      const to = shop.phone.account.phone
      await bob.send(to, { Text: 'before' })
      await arrives('before')
      await eventually(
        async () => (await shop.get('/webhook/deliveries?State=done')).data.Deliveries.length > 0,
        'recorded',
      )
      receiver.answer(() => ({ status: 503 }))
      await bob.send(to, { Text: 'odd' })
      await bob.send(to, { Text: 'waited' })
      await arrives('odd')
      await first.stop()
      strict('odd')
      const second = await startWorld({ ...place }, engine)
      await arrives('waited')
      await second.stop()
    })

    it('hold the order of each chat while they refuse everything', async () => {
      await say('fine')
      await arrives('fine')
      receiver.answer(() => ({ status: 404 }))
      const chats = await Promise.all(
        ['B', 'C', 'D', 'E', 'F', 'G', 'H', 'I'].map((name) => world.phone(name)),
      )
      for (const phone of chats) {
        await phone.send(session.phone.account.phone, { Text: `${phone.account.name} one.` })
        await phone.send(session.phone.account.phone, { Text: `${phone.account.name} two.` })
      }
      for (const { account } of chats) await arrives(`${account.name} one.`)
      await say('of another')
      await arrives('of another')
      await eventually(() => chats.every(({ account }) => tries(`${account.name} one.`) >= 2), 'tried again')
      // A few may have been taken for bodies that are refused; the others wait for their first.
      const overtaken = chats.filter(({ account }) => tries(`${account.name} two.`) > 0)
      expect(overtaken.length).to.be.at.most(4)
      expect(await inState('dead')).to.deep.equal([])
    })

    it('are tried again, in the order of each chat, after an answer that is no refusal', async () => {
      await say('ready')
      await arrives('ready')
      const statuses = [408, 409, 425, 429, 500]
      const failed = new Set<string>()
      receiver.answer(({ body }) => {
        const [status = ''] = /held \d+/.exec(body) ?? []
        if (!status || failed.has(status)) return { status: 200 }
        failed.add(status)
        return { status: Number(status.slice(5)) }
      })
      const to = session.phone.account.phone
      await Promise.all(
        statuses.map(async (status) => {
          const phone = await world.phone(`Phone ${status}`)
          await phone.send(to, { Text: `held ${status}` })
          await phone.send(to, { Text: `next ${status}` })
          await arrives(`next ${status}`)
          expect(tries(`held ${status}`)).to.equal(2)
        }),
      )
    })
  })
}
