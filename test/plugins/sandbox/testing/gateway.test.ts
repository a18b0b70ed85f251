import { createServer, type Server } from 'node:net'
import { startTestGateway } from '@wamux/sandbox/testing'
import { expect } from 'chai'
import { asFunction, definePlugin, startTimer, T } from 'wamux/plugin'

const base = { version: '1.0.0', api: '^1.0.0' }

declare module 'wamux/plugin' {
  interface GatewayServices {
    weather: { now(): string }
    alarm: { stop(): void }
  }
}

const greeter = definePlugin({
  ...base,
  name: 'greeter',
  config: T.Object({ word: T.String({ default: 'Hi', description: 'What is said' }) }),
  needs: ['sender', 'targets'],
  routes: (r) => [
    r.post('/greeter', {
      summary: 'Greets',
      body: T.Object({ Phone: T.String({ format: 'phone' }) }),
      response: T.Object({ Id: T.String() }),
      handle: async (request, { config, sender }) => {
        const sent = await sender.send('/greeter', request, () => ({ text: config.word }))
        return 'Id' in sent ? { Id: sent.Id } : sent
      },
    }),
  ],
})

describe('the test kit', () => {
  it('has phones that link, receive, decrypt and send, and a receiver for webhooks', async () => {
    const gateway = await startTestGateway({ plugins: [greeter], config: { greeter: { word: 'Ahoy' } } })
    const ana = await gateway.phone({ name: 'Ana' })
    const session = await gateway.session()
    const { data } = await session.post('/greeter', { Phone: ana.number })
    const seen = await ana.wait(({ FromMe }) => !FromMe)
    expect(seen)
      .to.include({ ID: data.Id })
      .and.have.nested.property('Message.extendedTextMessage.text', 'Ahoy')

    const receiver = await gateway.receiver()
    await session.post('/webhook', { WebhookURL: receiver.url })
    const id = await ana.send(session.phone.number, 'and back')
    const { body } = await receiver.wait(
      (delivery) => delivery.body.includes(id) && delivery.body.includes('"type":"Message"'),
    )
    expect(JSON.parse(body)).to.have.nested.property('event.Info.ID', id)
    expect(await session.status({ Connected: true })).to.have.property('LoggedIn', true)
    expect(gateway.logs.some(({ msg }) => msg === 'gateway listening')).to.equal(true)
    await gateway.stop()
  })

  it('sets the clock forward, with the work of the plugin that is due by then', async () => {
    const runs: [string, number][] = []
    const alarm = definePlugin({
      ...base,
      name: 'alarm',
      provides: ['alarm'],
      services: () => ({
        alarm: asFunction(() => {
          const timers = [
            startTimer(3 * 86_400_000, () => runs.push(['third', Date.now()])),
            startTimer(86_400_000, () => runs.push(['first', Date.now()])),
          ]
          return { stop: () => timers.forEach((timer) => void timer.stop()) }
        })
          .singleton()
          .disposer((service) => service.stop()),
      }),
      setup: async ({ alarm }) => void alarm,
    })
    const begun = Date.now()
    const gateway = await startTestGateway({ plugins: [alarm] })
    await gateway.advance('5 days')
    expect(runs.map(([name]) => name)).to.deep.equal(['first', 'third'])
    // The start of the gateway is part of the time.
    for (const [index, days] of [1, 3].entries())
      expect((runs[index]?.[1] ?? 0) - begun).to.be.within(days * 86_400_000, days * 86_400_000 + 120_000)
    const refused = await gateway.advance('backwards').catch((error: Error) => error.message)
    expect(refused).to.include('Invalid Advance')
    await gateway.stop()
  })

  it('puts what the test gives in the place of a service', async () => {
    const asked: string[] = []
    const sender = {
      send: async (path: string) => {
        asked.push(path)
        return { Id: 'STUB' }
      },
    }
    const umbrella = definePlugin({
      ...base,
      name: 'umbrella',
      needs: ['weather'],
      routes: (r) => [
        r.get('/umbrella', {
          summary: 'Whether to take it',
          access: 'public',
          response: T.Object({ Weather: T.String() }),
          handle: async (_, { weather }) => ({ Weather: weather.now() }),
        }),
      ],
    })
    const override = { sender, weather: { now: () => 'rain' } }
    const gateway = await startTestGateway({ plugins: [greeter, umbrella], override })
    const session = await gateway.session()
    expect((await session.post('/greeter', { Phone: '5511999999999' })).data).to.deep.equal({ Id: 'STUB' })
    expect(asked).to.deep.equal(['/greeter'])
    expect((await gateway.get('/umbrella')).data).to.deep.equal({ Weather: 'rain' })
    await gateway.stop()
  })

  it('fails a route that answers what its response does not allow', async () => {
    const liar = definePlugin({
      ...base,
      name: 'liar',
      routes: (r) => [
        r.get('/liar', {
          summary: 'Promises a number',
          access: 'public',
          response: T.Object({ Count: T.Integer() }),
          handle: async () => ({ Count: 'many' as unknown as number }),
        }),
      ],
    })
    const gateway = await startTestGateway({ plugins: [liar] })
    expect(await gateway.get('/liar')).to.include({ status: 500 })
    expect(JSON.stringify(gateway.logs)).to.include(
      'GET /liar gave an answer that its \\"response\\" does not allow',
    )
    await gateway.stop()
  })

  it('names settings of a plugin that is not there', async () => {
    const error = await startTestGateway({ plugins: [], config: { greter: {} } }).catch(
      (reason: Error) => reason,
    )
    expect(String(error)).to.include('"config" names the plugin "greter", which is not there')
  })
})

describe('the end of a test gateway', () => {
  const opened: (NodeJS.Timeout | Server)[] = []
  after(() => {
    for (const one of opened) 'close' in one ? one.close() : clearInterval(one)
  })

  const forgetful = (name: string, open: () => NodeJS.Timeout | Server) =>
    definePlugin({
      ...base,
      name,
      services: () => ({ handle: asFunction(() => opened.push(open())).singleton() }),
      routes: (r) => [
        r.post(`/${name}`, {
          summary: 'Opens something',
          access: 'public',
          response: T.Object({}),
          handle: async (_, { handle }) => ({ handle }),
        }),
      ],
    })
  const forgotten: readonly [what: string, open: () => NodeJS.Timeout | Server, kind: string][] = [
    ['a timer', () => setInterval(() => undefined, 60_000), 'a timer'],
    ['a server', () => createServer().listen(0), 'a server \\(:: port \\d+\\)'],
  ]
  for (const [what, open, kind] of forgotten) {
    it(`names ${what} that a plugin opened in a request and left open, and where`, async () => {
      const gateway = await startTestGateway({ plugins: [forgetful('forgetful', open)] })
      expect((await gateway.post('/forgetful')).success).to.equal(true)
      const error = await gateway.stop().catch((reason: Error) => reason)
      expect(String(error)).to.match(
        new RegExp(`still open after the stop:\\n- ${kind} opened at [^\\n]*gateway\\.test\\.ts`),
      )
    })
  }

  it('says nothing of what was closed, of what holds nothing open, and of what others opened', async () => {
    const tidy = definePlugin({
      ...base,
      name: 'tidy',
      services: () => ({
        clock: asFunction(() => setInterval(() => undefined, 60_000))
          .singleton()
          .disposer(clearInterval),
      }),
      setup: async ({ clock }) => {
        expect(clock.hasRef()).to.equal(true)
        setInterval(() => undefined, 60_000).unref()
      },
    })
    const gateway = await startTestGateway({ plugins: [tidy] })
    opened.push(setInterval(() => undefined, 60_000))
    await gateway.session()
    await gateway.stop()
  })
})
