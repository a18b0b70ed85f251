import { expect } from 'chai'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { everyEngine } from '../support/databases.ts'
import { sized } from '../support/run/whole.ts'
import { startReceiver } from '../support/servers/receiver.ts'
import { startWorld } from '../support/world.ts'

/** PostgreSQL sees the same order of writes: a part of them shows it. */
const COUNTS = { SQLite: sized(400, 60), PostgreSQL: sized(200, 30) }
/** Requests of each side that are under way at once: more connections than that only wait to be read. */
const LANES = 200
const ascending = (x: number, y: number): number => x - y
const onPhone = (phone: Phone, mark: string): number[] =>
  phone
    .messages()
    .filter(({ fromMe, id }) => !fromMe && id.startsWith(mark))
    .map(({ id }) => Number(id.slice(mark.length)))

/** Raw Baileys over a store that takes a millisecond loses a third of such messages for good. */
for (const engine of everyEngine) {
  const count = COUNTS[engine.name]
  describe(`${count} messages each way at once between two sessions on ${engine.name}`, function () {
    this.timeout(600_000)

    it('arrive decrypted, once each, in order', async () => {
      // The network shares the process, and with it the wait: slow is not what is looked for here.
      const world = await startWorld({ config: { baileys: { ackTimeoutMs: 60_000 } } }, engine)
      const receiver = await startReceiver()
      const a = await world.linked(await world.phone('Ana'), { subscribe: ['Message'] })
      const b = await world.linked(await world.phone('Bea'), { subscribe: ['Message'] })
      for (const session of [a, b]) await session.post('/webhook', { WebhookURL: receiver.url })
      // The first message of each side settles who is who before the rush, as people do.
      await a.post('/send/text', { Phone: b.phone.account.phone, Body: 'hello' })
      await b.post('/send/text', { Phone: a.phone.account.phone, Body: 'hello' })

      const rush = (from: typeof a, to: typeof a, mark: string) =>
        inLanes(count, (i) =>
          from.post('/send/text', { Phone: to.phone.account.phone, Body: `${mark} ${i}`, Id: `${mark}${i}` }),
        )
      const answers = (await Promise.all([rush(a, b, 'ab'), rush(b, a, 'ba')])).flat()
      const refusals = answers.filter(({ success }) => !success).map(({ error }) => error)
      expect(refusals, [...new Set(refusals)].join(', ')).to.deep.equal([])

      const received = (mark: string) =>
        receiver.deliveries
          .map(({ body }) => JSON.parse(body))
          .filter(({ event }) => !event.Info.IsFromMe && event.Info.ID.startsWith(mark))
          .map(({ event }) => Number(event.Message.extendedTextMessage.text.split(' ')[1]))
      // Each message is one delivery of its sender and one of its receiver.
      await receiver.count(4 * (count + 1))
      // The phones get a copy of what their companions send, too.
      for (const { phone } of [a, b]) await phone.wait(({ seq }) => seq === 2 * (count + 1))
      const all = Array.from({ length: count }, (_, i) => i)
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

async function inLanes<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) results[index] = await work(index)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return results
}
