import { once } from 'node:events'
import { createServer as createTcpServer } from 'node:net'
import { expect } from 'chai'
import type { Plugin } from 'wamux/plugin'
import outputs from '../../../plugins/outputs/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'
import type { MqttReader, RabbitReader, Reader } from './readers.ts'
import { type BrokerKind, type BrokerServer, createServer, isInstalled } from './servers.ts'

/** A broker and the plugin that publishes to it. */
export interface Broker {
  readonly name: string
  readonly kind: BrokerKind
  readonly plugin: Plugin
  url(port: number): string
  readonly settings?: Record<string, unknown>
  readonly reader: (port: number) => Promise<Reader>
  /** Address of an event of the type in the session `Shop`. */
  address(type: string): string
  /** Whether the broker knows a repetition by its id. */
  readonly isIdempotent?: boolean
  /** Whether it refuses messages of more than 40,000 bytes. */
  readonly isLimited: boolean
}

const TIMEOUT_MS = 1_000

/** What holds for every output, against the real broker. */
export function testOutput(broker: Broker): void {
  describe(`events to ${broker.name}`, () => {
    const name = broker.plugin.spec.name
    let server: BrokerServer
    let reader: Reader
    let world: World
    let session: LinkedSession
    let id: string
    let ana: Phone
    before(async function () {
      if (!isInstalled(broker.kind)) return this.skip()
      server = await createServer(broker.kind)
      const settings = { url: broker.url(server.port), timeoutMs: TIMEOUT_MS, ...broker.settings }
      const config = { [name]: settings }
      // The broker starts after the gateway does.
      world = await startWorld({ extra: [outputs, broker.plugin], config })
      ana = await world.phone('Ana')
      session = await world.linked(await world.phone('Shop'))
      id = await idOf(world, session)
    })
    after(async () => {
      await reader?.close()
      await world?.stop()
      await server?.kill()
    })

    const stateOf = async (): Promise<Record<string, unknown>> =>
      (await world.gateway.get('/server/outputs', admin)).data.Outputs[0]
    /** Of the log, in order. */
    const logged = async (): Promise<{ eventId: string; type: string }[]> =>
      (await session.get('/events?limit=500')).data.Events
    const receive = async (text: string): Promise<void> => {
      await ana.send(session.phone.account.phone, { Text: text })
      await eventually(
        async () => JSON.stringify(await logged()).includes(JSON.stringify(text).slice(1, 60)),
        'message logged',
      )
    }
    /** Waits until the broker has everything that is logged, but for the ids given. */
    const allRead = async (without: readonly string[] = []): Promise<void> => {
      let missing: string[] = []
      await eventually(
        async () => {
          const ids = new Set((await reader.read()).map(({ id }) => id))
          missing = (await logged())
            .map(({ eventId }) => eventId)
            .filter((id) => !ids.has(id) && !without.includes(id))
          return missing.length === 0
        },
        'everything published',
        { progress: () => missing.length },
      )
    }

    it('waits while a server of another kind answers at its address', async () => {
      const other = createTcpServer((socket) => {
        socket.on('error', () => undefined).resume()
        socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
      })
      other.listen(server.port, '127.0.0.1')
      await once(other, 'connection')
      await eventually(async () => (await stateOf())['Error'] !== '', 'failure shown')
      expect(await stateOf()).to.include({ Connected: false })
      await new Promise((resolve) => other.close(resolve))
    })

    it('waits for a broker that is not up yet, and shows why', async () => {
      await receive('before the broker')
      await eventually(async () => (await stateOf())['Error'] !== '', 'failure shown')
      const state = await stateOf()
      expect(state).to.include({
        Name: name,
        Broker: `127.0.0.1:${server.port}`,
        Connected: false,
        Published: 0,
      })
      expect(state['Lag']).to.be.greaterThan(0)
      await server.start()
      await eventually(async () => (await stateOf())['Connected'], 'connected', {
        progress: () => Date.now(),
      })
      reader = await broker.reader(server.port)
      // A broker without a stream or queue of its own has what came since the subscription.
      if (broker.kind === 'mosquitto') await receive('after the subscription')
      else await allRead()
      await eventually(async () => (await stateOf())['Lag'] === 0, 'no lag')
      expect(await stateOf()).to.include({ Connected: true, Error: '' })
    })

    it('publishes each event once, in order, under its id, as webhooks get it', async () => {
      await receive('hello')
      const found = async () =>
        (await reader.read()).filter(({ body }) => JSON.stringify(body).includes('"hello"'))
      await eventually(async () => (await found()).length > 0, 'published')
      const all = await found()
      expect(all).to.have.length(1)
      const { id: eventId, address, body } = all[0] as (typeof all)[number]
      const event = (await logged()).find((one) => one.eventId === eventId)
      expect(event).to.include({ type: 'Message' })
      expect(address).to.equal(broker.address('Message'))
      expect(body).to.include({ type: 'Message', eventId, instanceName: 'Shop', userID: id })
      expect(body['event']).to.have.nested.property('Info.Chat')
      await receive('goodbye')
      await readAfter('goodbye')
      const order = JSON.stringify(await reader.read())
      expect(order.indexOf('"hello"')).to.be.lessThan(order.indexOf('"goodbye"'))
    })

    it('loses nothing while the broker is killed and started again', async () => {
      await receive('before the kill')
      await server.kill()
      await receive('while it is down')
      await eventually(async () => (await stateOf())['Connected'] === false, 'loss of the connection seen')
      await eventually(async () => (await stateOf())['Failed'] as number, 'a try has failed')
      await receive('still down')
      expect((await stateOf())['Lag']).to.be.greaterThan(0)
      await server.start()
      await receive('it is back')
      await eventually(async () => (await stateOf())['Lag'] === 0, 'no lag', { progress: () => Date.now() })
      if (broker.kind === 'mosquitto') await readAfter('while it is down', 'still down', 'it is back')
      else await allRead()
    })

    it('waits for a broker that has stopped to answer', async () => {
      server.pause()
      await receive('while it hangs')
      await eventually(async () => (await stateOf())['Error'] !== '', 'time-out shown')
      expect((await stateOf())['Lag']).to.be.greaterThan(0)
      server.resume()
      await eventually(async () => (await stateOf())['Lag'] === 0, 'no lag', { progress: () => Date.now() })
      await readAfter('while it hangs')
      const ids = (await reader.read()).map(({ id }) => id)
      if (broker.isIdempotent) expect(new Set(ids).size).to.equal(ids.length)
    })

    if (broker.isLimited)
      it('makes a message that the broker refuses a dead letter, and goes on', async () => {
        await receive('x'.repeat(50_000))
        await receive('after the large one')
        await readAfter('after the large one')
        const path = `/server/consumers/${name}/dead-letters`
        const letters = async () => (await world.gateway.get(path, admin)).data.DeadLetters
        await eventually(async () => (await letters()).length === 1, 'dead letter')
        expect((await letters())[0].Error).to.include('does not accept event')
      })

    async function readAfter(...texts: readonly string[]): Promise<void> {
      await eventually(
        async () => {
          const all = JSON.stringify(await reader.read())
          return texts.every((text) => all.includes(`"${text}"`))
        },
        `published: ${texts.join(', ')}`,
        { progress: () => Date.now() },
      )
    }

    if (broker.kind === 'rabbitmq')
      it('waits until a queue is bound', async () => {
        const queue = reader as RabbitReader
        await queue.unbind()
        await receive('nowhere to go')
        await eventually(
          async () => String((await stateOf())['Error']).includes('no queue is bound'),
          'shown',
        )
        await queue.bind()
        await readAfter('nowhere to go')
      })

    if (broker.kind === 'mosquitto')
      it('announces sessions to Home Assistant, and by the last will that the gateway is gone', async () => {
        const { topics } = reader as MqttReader
        const json = (topic: string) => JSON.parse(topics.get(topic) ?? '{}')
        const device = `homeassistant/device/wamux_${id}/config`
        await eventually(() => topics.get(device), 'device announced')
        const { components, availability_topic: availability, device: shown } = json(device)
        expect(shown).to.include({ name: 'Shop', manufacturer: 'wamux' })
        expect(components).to.have.all.keys('state', 'connected', 'last_message')
        expect(topics.get(availability)).to.equal('online')
        expect(json(components.state.state_topic)).to.include({ state: 'open', connected: true })
        await receive('shown at home')
        await eventually(
          () => json(components.last_message.state_topic).text === 'shown at home',
          'last message',
        )
        await session.post('/session/disconnect')
        await eventually(() => json(components.state.state_topic).state === 'offline', 'state published')
        const extra = await world.linked(await world.phone('Second'))
        const other = await idOf(world, extra)
        const second = `homeassistant/device/wamux_${other}/config`
        await eventually(() => topics.get(second), 'second device')
        await world.gateway.post('/session/delete', { Token: extra.token }, admin)
        await eventually(() => topics.get(second) === '', 'device removed')
        await world.stop()
        await eventually(() => topics.get(availability) === 'offline', 'offline')
      })
  })
}

async function idOf({ gateway }: World, { token }: LinkedSession): Promise<string> {
  const { data } = await gateway.get('/session/all', admin)
  return (data as { Id: string; Token: string }[]).find((row) => row.Token === token)?.Id ?? ''
}
