import { expect } from 'chai'
import fc from 'fast-check'
import type { LogEvent } from '../../kernel/plugin.ts'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { createProbe } from '../support/probe.ts'
import { isWhole } from '../support/run/whole.ts'
import { type LinkedSession, startWorld, type World } from '../support/world.ts'
import { type Mutation, mutationsOf, placesInMessage } from './message-fields.ts'

/** Messages between two looks at what they became. */
const BATCH = 25
const SAMPLE = 150
/** Phones and network share the process with the gateway, and what they do counts as well. */
const LEAST_MS = 400
/** Without anything for a user: keys, what own devices say to each other, notes to other content, wrappers of nothing. */
const SILENT =
  /^(senderKeyDistributionMessage|fastRatchetKeySenderKeyDistributionMessage|messageContextInfo|messageHistoryNotice|protocolMessage|deviceSentMessage)\b/

describe('a message with any field of any depth, length and count', function () {
  this.timeout(isWhole ? 3_600_000 : 240_000)
  const probe = createProbe()
  let world: World
  let session: LinkedSession
  let neighbour: LinkedSession
  let bruno: Phone
  let all: Mutation[]
  const told = new Map<string, string[]>()
  const awaited = new Map<string, () => void>()

  before(async () => {
    world = await startWorld({ extra: [probe.plugin] })
    session = await world.linked(await world.phone('Shop'))
    neighbour = await world.linked(await world.phone('Neighbour'))
    bruno = await world.phone('Bruno')
    probe.log.watch((events) => {
      for (const event of events) note(event)
    })
    all = (await placesInMessage()).flatMap(mutationsOf)
  })
  after(() => world.stop())

  function note({ type, body }: LogEvent): void {
    const { Info, ID } = body['event'] as { Info?: { ID: string }; ID?: string }
    const id = Info?.ID ?? ID
    if (!id) return
    told.set(id, [...(told.get(id) ?? []), type])
    awaited.get(id)?.()
    awaited.delete(id)
  }
  const logged = (id: string): Promise<void> =>
    new Promise((resolve) => {
      if (told.has(id)) resolve()
      else awaited.set(id, resolve)
    })

  /** Milliseconds of a request, and of a message from its phone to its event, in turns until `isOver`. */
  async function times(isOver: () => boolean): Promise<number[]> {
    const took: number[] = []
    while (!isOver()) {
      const began = performance.now()
      await neighbour.get('/session/status')
      const id = await bruno.send(neighbour.phone.account.phone, { Text: 'hello' })
      await logged(id)
      took.push(performance.now() - began)
    }
    return took
  }

  it('has an event, and holds up no other session', async () => {
    const ana = await world.phone('Ana')
    const own = session.phone.account.phone
    async function flood(some: readonly { plain?: Buffer }[]): Promise<string[]> {
      const ids: string[] = []
      for (const { plain } of some)
        ids.push(await ana.send(own, plain ? { Plain: plain.toString('base64') } : { Text: 'plain' }))
      await logged(await ana.send(own, { Text: 'last' }))
      return ids
    }
    async function during<T>(work: () => Promise<T>): Promise<[T, number[]]> {
      let isOver = false
      const measured = times(() => isOver)
      const result = await work().finally(() => {
        isOver = true
      })
      return [result, await measured]
    }

    const chosen = isWhole
      ? all
      : (fc.sample(fc.shuffledSubarray(all, { minLength: SAMPLE, maxLength: SAMPLE }), 1)[0] ?? [])
    await during(() => flood(Array.from({ length: BATCH }, () => ({}))))
    const [, quiet] = await during(() => flood(Array.from({ length: 4 * BATCH }, () => ({}))))
    const [missing, busy] = await during(async () => {
      const lost: string[] = []
      for (let at = 0; at < chosen.length; at += BATCH) {
        const batch = chosen.slice(at, at + BATCH)
        const ids = await flood(batch)
        for (const [i, { name }] of batch.entries())
          if (!told.has(ids[i] ?? '') && !SILENT.test(name)) lost.push(name)
      }
      return lost
    })
    expect(missing).to.deep.equal([])
    const [before, now] = [quiet, busy].map(
      (took) => took.sort((a, b) => a - b)[Math.floor(took.length * 0.95)] ?? 0,
    )
    expect(now, `milliseconds, without them ${before}`).to.be.below(Math.max(2 * (before ?? 0), LEAST_MS))
    const { status } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'hello' })
    expect(status).to.equal(200)
  })
})
