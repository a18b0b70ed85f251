import { expect } from 'chai'
import { definePlugin, gatewayError } from 'wamux/plugin'
import type {} from 'wamux/services'
import outputs, { type OutputMessage } from '../../../plugins/outputs/index.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'

/** An output of a third party, whose broker confirms, fails or refuses as the test says. */
describe('the plugin outputs', () => {
  const WINDOW = 3
  const got: OutputMessage[] = []
  const waiting: (() => void)[] = []
  let isHeld = false
  let isDown = false
  let refused = ''
  const own = definePlugin({
    name: 'own-output',
    version: '1.0.0',
    api: '^1.0.0',
    needs: ['outputs'],
    contributes: {
      outputs: () => ({
        broker: 'own.example',
        types: ['Message'],
        sessions: ['Shop'],
        pattern: '{session}/{type}/{none}',
        window: WINDOW,
        timeoutMs: 60_000,
        problem: () => (isDown ? 'out of order' : ''),
        async publish(message) {
          if (refused && message.body.includes(refused))
            throw gatewayError('OUTPUT_REFUSED', [message.id, 'ugly'])
          if (isHeld) await new Promise<void>((release) => waiting.push(release))
          got.push(message)
        },
      }),
    },
    consume: {
      deadLetter: { after: 2 },
      handle: (events, deps) => deps.outputs.publish('own-output', events),
    },
  })
  let world: World
  let session: LinkedSession
  let say: (text: string) => Promise<unknown>
  before(async () => {
    const shop = await openShop({ extra: [outputs, own] })
    ;({ world, session } = shop)
    const other = await world.linked(await world.phone('Other'))
    say = async (text) => {
      await shop.ana.send(other.phone.account.phone, { Text: text })
      return shop.ana.send(session.phone.account.phone, { Text: text })
    }
  })
  after(() => world.stop())
  const texts = (): string[] => got.map(({ body }) => /"(text-[\w-]+)"/.exec(body)?.[1] ?? '')
  const stateOf = async () => (await world.gateway.get('/server/outputs', admin)).data.Outputs[0]

  it('publishes the events of its filter alone, at an address made of its pattern', async () => {
    await say('text-first')
    await eventually(() => texts().includes('text-first'), 'published')
    expect(texts()).to.deep.equal(['text-first'])
    expect(got[0]).to.include({ address: 'Shop/Message/{none}', type: 'Message' })
    expect(JSON.parse(got[0]?.body ?? '')).to.include({ eventId: got[0]?.id, instanceName: 'Shop' })
    const state = await stateOf()
    expect(state).to.include({
      Name: 'own-output',
      Broker: 'own.example',
      Connected: true,
      Published: 1,
      Failed: 0,
    })
    expect((await world.gateway.get('/server/outputs', session.headers)).status).to.be.oneOf([401, 403])
  })

  it('has no more messages in flight than its window', async () => {
    isHeld = true
    const names = Array.from({ length: 8 }, (_, at) => `text-window-${at}`)
    for (const name of names) await say(name)
    await eventually(() => waiting.length > 0, 'first in flight')
    expect(waiting.length).to.be.at.most(WINDOW)
    let most = 0
    isHeld = true
    await eventually(
      () => {
        most = Math.max(most, waiting.length)
        waiting.shift()?.()
        return names.every((name) => texts().includes(name))
      },
      'all published',
      { progress: () => got.length },
    )
    isHeld = false
    expect(most).to.be.at.most(WINDOW)
    expect(texts().filter((text) => names.includes(text))).to.deep.equal(names)
  })

  it('shows why it can not publish, and goes on where it was', async () => {
    isDown = true
    expect(await stateOf(), 'without an event to publish').to.include({ Error: 'out of order', Failed: 0 })
    await say('text-later')
    await eventually(async () => (await stateOf()).Failed > 0, 'tried')
    const state = await stateOf()
    expect(state.Error).to.equal('out of order')
    expect(state.Connected).to.equal(false)
    expect(state.Lag).to.be.greaterThan(0)
    isDown = false
    await eventually(() => texts().includes('text-later'), 'published', { progress: () => Date.now() })
    await eventually(async () => (await stateOf()).Error === '', 'no error any more')
  })

  it('makes a refused event a dead letter, and publishes it when it is retried', async () => {
    refused = 'text-ugly'
    await say('text-ugly')
    await say('text-after')
    await eventually(() => texts().includes('text-after'), 'the next one published')
    const path = '/server/consumers/own-output/dead-letters'
    const letters = async () => (await world.gateway.get(path, admin)).data.DeadLetters
    await eventually(async () => (await letters()).length === 1, 'dead letter')
    expect((await letters())[0].Error).to.include('ugly')
    refused = ''
    await world.gateway.post(`${path}/retry`, {}, admin)
    await eventually(() => texts().includes('text-ugly'), 'published by the retry')
  })
})
