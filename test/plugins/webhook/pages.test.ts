import { expect } from 'chai'
import { definePlugin } from '../../../kernel/plugin.ts'
import { engines } from '../../support/databases.ts'
import { type Receiver, type ReceiverReply, startReceiver } from '../../support/servers/receiver.ts'
import { admin, startWorld, type World } from '../../support/world.ts'
import { stepper } from './stepper.ts'

const OTHERS = Array.from({ length: 40 }, (_, index) => `other${index}`)
/** Of each of the others: more in all than the lanes of an endpoint hold. */
const ROWS = 60

for (const engine of engines) {
  describe(`a backlog larger than the prefetch window, on ${engine.name}`, () => {
    let world: World
    let receiver: Receiver
    let pages = 0
    /** Counts how often the table is read. */
    const counter = definePlugin({
      name: 'counter',
      version: '1.0.0',
      api: '^1.0.0',
      setup: async ({ db }) => {
        db.read.on('query', ({ sql }: { sql: string }) => {
          if (/^select \*.*webhook_deliveries/.test(sql)) pages += 1
        })
      },
    })
    before(async () => {
      // What is held may not be given up and tried again.
      const webhook = { retrySeconds: [0.02, 0.02], parallel: 48, breakerFailures: 1_000, timeoutMs: 60_000 }
      world = await startWorld({ config: { webhook }, extra: [stepper, counter] }, engine)
      receiver = await startReceiver()
    })
    after(async () => {
      await world.stop()
      await receiver.close()
    })

    it('delivers nothing twice to a chat that recovers from a failure', async () => {
      const taken: number[] = []
      const held: ((reply: ReceiverReply) => void)[] = []
      let isHeld = true
      receiver.answer(({ body }) => {
        const { Chat, Number: number } = JSON.parse(body).event
        if (Chat === 'x') taken.push(number)
        return isHeld || Chat === 'x' ? new Promise((resolve) => held.push(resolve)) : { status: 200 }
      })
      const events = world.gateway.service('stepper')
      const { data } = await world.gateway.post('/session/init', { Subscribe: ['Message'] }, admin)
      await world.gateway.post('/webhook', { WebhookURL: receiver.url }, { token: data.Token })
      const raise = (chat: string, number: number) => events.raise(data.Id, 'step', { chat, number })
      await raise('x', 0)
      await receiver.count(1)
      const rows = Array.from({ length: ROWS }, (_, number) =>
        OTHERS.map((chat) => ({ chat, number })),
      ).flat()
      await Promise.all(rows.map(({ chat, number }) => raise(chat, number)))
      // Not in the lanes, which are full.
      await raise('x', 1)
      await raise('x', 2)
      await receiver.count(1 + OTHERS.length)
      held.shift()?.({ status: 404 })
      // Back from its failure, the chat was read from the table, which holds more of it than was loaded.
      await receiver.wait(({ headers }) => headers['x-webhook-attempt'] === '2')
      isHeld = false
      const [again] = held.splice(OTHERS.length)
      for (const answer of held) answer({ status: 200 })
      // The rest was loaded while the chat stood in memory.
      const others = OTHERS.length * ROWS
      await receiver.count(2 + others)
      receiver.answer(({ body }) => {
        taken.push(JSON.parse(body).event.Number)
        return { status: 200 }
      })
      again?.({ status: 200 })
      await receiver.count(2 + others + 2)
      await raise('y', 9)
      await receiver.wait(({ body }) => JSON.parse(body).event.Chat === 'y')
      expect(taken).to.deep.equal([0, 0, 1, 2, 9])
    })

    it('is not read at all where it came while the receiver answered nothing for seconds', async () => {
      const held: ((reply: ReceiverReply) => void)[] = []
      receiver.answer(() => ({ status: 200 }))
      const events = world.gateway.service('stepper')
      const { data } = await world.gateway.post('/session/init', { Subscribe: ['Message'] }, admin)
      await world.gateway.post('/webhook', { WebhookURL: receiver.url }, { token: data.Token })
      const before = receiver.deliveries.length
      // The first row joins what is in memory with the table.
      await events.raise(data.Id, 'step', { chat: 'first', number: 0 })
      await receiver.count(before + 1)
      pages = 0
      receiver.answer(() => new Promise((resolve) => held.push(resolve)))
      const rows = Array.from({ length: 6_000 }, (_, number) => ({ chat: `chat${number % 120}`, number }))
      await Promise.all(rows.map(({ chat, number }) => events.raise(data.Id, 'step', { chat, number })))
      receiver.answer(() => ({ status: 200 }))
      for (const answer of held) answer({ status: 200 })
      await receiver.count(before + 1 + rows.length)
      expect(pages).to.equal(0)
    })

    it('is not read completely at start if it belongs to one chat', async () => {
      const held: ((reply: ReceiverReply) => void)[] = []
      receiver.answer(() => new Promise((resolve) => held.push(resolve)))
      const events = world.gateway.service('stepper')
      const { data } = await world.gateway.post('/session/init', { Subscribe: ['Message'] }, admin)
      const hook = { WebhookURL: receiver.url }
      await world.gateway.post('/webhook', hook, { token: data.Token })
      const before = receiver.deliveries.length
      await Promise.all(
        Array.from({ length: 4_000 }, (_, number) => events.raise(data.Id, 'step', { chat: 'long', number })),
      )
      await receiver.count(before + 1)
      pages = 0
      // Set anew it begins at the oldest row.
      await world.gateway.post('/webhook', hook, { token: data.Token })
      receiver.answer(() => ({ status: 200 }))
      for (const answer of held) answer({ status: 200 })
      const isLong = ({ body }: { body: string }) => JSON.parse(body).event.Chat === 'long'
      await receiver.wait((delivery) => isLong(delivery) && JSON.parse(delivery.body).event.Number === 100)
      expect(pages).to.be.below(8)
      const numbers = receiver.deliveries.filter(isLong).map(({ body }) => JSON.parse(body).event.Number)
      expect(numbers.slice(0, 100)).to.deep.equal(Array.from({ length: 100 }, (_, number) => number))
    })
  })
}
