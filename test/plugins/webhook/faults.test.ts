import { expect } from 'chai'
import { engines } from '../../support/databases.ts'
import { isWhole } from '../../support/run/whole.ts'
import { type Receiver, type ReceiverReply, startReceiver } from '../../support/servers/receiver.ts'
import { admin, startWorld, type World } from '../../support/world.ts'
import { stepper } from './stepper.ts'

const CHATS = 20
const STEPS = 15

const SEEDS = { SQLite: isWhole ? [1, 2, 3] : [1], PostgreSQL: [1] }

for (const engine of engines) {
  for (const seed of SEEDS[engine.name]) {
    describe(`a faulty receiver, seed ${seed}, on ${engine.name}`, () => {
      let world: World
      let receiver: Receiver
      let session: string

      before(async () => {
        const webhook = {
          retrySeconds: Array.from({ length: 40 }, () => 0.02),
          timeoutMs: 400,
          breakerFailures: 8,
          // Doubles with each probe that fails: even twenty in a row, as on a machine too slow for the time-out, stay below a test's patience.
          breakerSeconds: 0.000_01,
          laneBlockSeconds: 0,
        }
        world = await startWorld({ config: { webhook }, extra: [stepper] }, engine)
        receiver = await startReceiver()
        const { data } = await world.gateway.post('/session/init', { Subscribe: ['Message'] }, admin)
        session = data.Id
        await world.gateway.post('/webhook', { WebhookURL: receiver.url }, { token: data.Token })
      })
      after(async () => {
        await world.stop()
        await receiver.close()
      })

      it('receives all committed events, in order within each chat, with the same body for the same id', async () => {
        const taken: { id: string; chat: string; number: number }[] = []
        const ids = new Set<string>()
        const bodies = new Map<string, string>()
        let isSame = true
        const fault = faults(seed)
        receiver.answer((delivery) => {
          const { eventId, event } = JSON.parse(delivery.body)
          isSame &&= (bodies.get(eventId) ?? delivery.body) === delivery.body
          bodies.set(eventId, delivery.body)
          const answer = fault()
          if (typeof answer === 'object' && answer.status === 200) {
            ids.add(eventId)
            taken.push({ id: eventId, chat: event.Chat, number: event.Number })
          }
          return answer
        })
        const events = world.gateway.service('stepper')
        const committed: string[] = []
        for (let number = 0; number < STEPS; number += 1) {
          const lines = await Promise.all(
            Array.from({ length: CHATS }, (_, i) =>
              events.raise(session, 'step', { chat: `chat${i}`, number }),
            ),
          )
          committed.push(...lines.flat().map(({ id }) => id))
        }
        const wanted = new Set(committed)
        expect(wanted.size).to.equal(CHATS * STEPS)
        // Checked for all deliveries each time one comes: a costly check would make requests time out.
        await receiver.wait(() => ids.size === wanted.size)
        expect(ids).to.deep.equal(wanted)
        expect(isSame).to.equal(true)
        for (let i = 0; i < CHATS; i += 1) {
          const numbers = taken.filter(({ chat }) => chat === `chat${i}`).map(({ number }) => number)
          // What was taken, but whose answer was lost, may come twice; never out of its place.
          expect([...new Set(numbers)], `chat${i}`).to.deep.equal(Array.from({ length: STEPS }, (_, n) => n))
          expect(numbers).to.deep.equal([...numbers].sort((a, b) => a - b))
        }
      })
    })
  }
}

/** A good part of the requests fail, in runs too, each in its own way; the same seed gives the same row of them. */
function faults(seed: number): () => ReceiverReply {
  const random = generator(seed)
  let run = 0
  const kinds: ReceiverReply[] = [
    'hang',
    'reset',
    { status: 500 },
    { status: 404 },
    { status: 429, headers: { 'retry-after': '0' } },
    { status: 503, headers: { 'retry-after': 'soon' } },
    { status: 301, headers: { location: 'http://127.0.0.1:1/' } },
  ]
  let kind = kinds[0] ?? 'hang'
  // After each run something passes: else the breaker's pauses would double beyond any test's patience.
  let mayFail = true
  return () => {
    if (run === 0 && mayFail && random() < 0.2) {
      run = Math.floor(random() ** 3 * 10) + 1
      kind = kinds[Math.floor(random() * kinds.length)] ?? 'hang'
    }
    mayFail = run === 0
    if (run === 0) return { status: 200 }
    run -= 1
    return kind
  }
}

/** Mulberry32. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
