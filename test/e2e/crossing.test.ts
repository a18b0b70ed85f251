import { expect } from 'chai'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { engines } from '../support/databases.ts'
import { startReceiver } from '../support/receiver.ts'
import { startWorld } from '../support/world.ts'

const COUNT = 1000
const ascending = (x: number, y: number): number => x - y
const onPhone = (phone: Phone, mark: string): number[] =>
  phone
    .messages()
    .filter(({ fromMe, id }) => !fromMe && id.startsWith(mark))
    .map(({ id }) => Number(id.slice(mark.length)))

/** Raw Baileys over a store that takes a millisecond loses a third of such messages for good. */
for (const engine of engines) {
  describe(`${COUNT} messages each way at once between two sessions on ${engine.name}`, function () {
    this.timeout(120_000)

    it('arrive decrypted, once each, in order', async () => {
      const world = await startWorld({}, engine)
      const receiver = await startReceiver()
      const a = await world.linked(await world.phone('Ana'), { subscribe: ['Message'] })
      const b = await world.linked(await world.phone('Bea'), { subscribe: ['Message'] })
      for (const session of [a, b]) await session.post('/webhook', { WebhookURL: receiver.url })
      // The first message of each side settles who is who before the rush, as people do.
      await a.post('/send/text', { Phone: b.phone.account.phone, Body: 'hello' })
      await b.post('/send/text', { Phone: a.phone.account.phone, Body: 'hello' })

      const rush = (from: typeof a, to: typeof a, mark: string) =>
        Array.from({ length: COUNT }, (_, i) =>
          from.post('/send/text', { Phone: to.phone.account.phone, Body: `${mark} ${i}`, Id: `${mark}${i}` }),
        )
      const answers = await Promise.all([...rush(a, b, 'ab'), ...rush(b, a, 'ba')])
      expect(answers.filter(({ success }) => !success).map(({ error }) => error)).to.deep.equal([])

      const received = (mark: string) =>
        receiver.deliveries
          .map(({ body }) => JSON.parse(body))
          .filter(({ event }) => !event.Info.IsFromMe && event.Info.ID.startsWith(mark))
          .map(({ event }) => Number(event.Message.extendedTextMessage.text.split(' ')[1]))
      // Each message is one delivery of its sender and one of its receiver.
      await receiver.count(4 * (COUNT + 1), 60_000)
      // The phones get a copy of what their companions send, too.
      for (const { phone } of [a, b]) await phone.wait(({ seq }) => seq === 2 * (COUNT + 1), 20_000)
      const all = Array.from({ length: COUNT }, (_, i) => i)
      expect(received('ab').sort(ascending)).to.deep.equal(all)
      expect(received('ba').sort(ascending)).to.deep.equal(all)
      // Requests over many connections have no order of their own; from the network on there is one.
      expect(received('ab')).to.deep.equal(onPhone(b.phone, 'ab'))
      expect(received('ba')).to.deep.equal(onPhone(a.phone, 'ba'))
      for (const { phone } of [a, b]) expect(phone.failures).to.deep.equal([])
      expect(world.counters()).to.include({ retries: 0 })
      await world.stop()
      await receiver.close()
    })
  })
}
