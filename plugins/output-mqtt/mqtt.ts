import { hostname } from 'node:os'
import { connect, type IClientOptions, type MqttClient } from 'mqtt'
import { type BrokerClient, certificates, type OutputConnection, type OutputDeps } from 'wamux/outputs'
import { ALL_OWNED, createInterval, gatewayError, reasonOf, withTimeout } from 'wamux/plugin'
import type { MqttConfig, config as own } from './config.ts'
import { createHomeAssistant } from './home-assistant.ts'

type Deps = OutputDeps<typeof own, 'ownership'>

const RECONNECT_MS = 1_000
const KEEP_ALIVE_SECONDS = 10
const CLOSE_MS = 1_000
const TIDY_MS = 5_000
/** Reason code of MQTT 5. */
const PACKET_TOO_LARGE = 0x95

export function createMqtt(deps: Deps, state: OutputConnection): BrokerClient {
  const { config, log, sessions, settings, background, ownership = ALL_OWNED } = deps
  const { timeoutMs } = config
  const { broker } = state
  const clientId = config.clientId || `wamux-${hostname().replace(/[^\w-]/g, '-')}`
  const availability = `${config.stateTopic}/availability/${clientId}`
  let client: MqttClient | undefined
  /** Largest packet that the broker accepts, as announced with MQTT 5. */
  let most = Number.POSITIVE_INFINITY
  let unwatch = (): void => undefined

  async function send(topic: string, payload: string, isRetained: boolean, id?: string): Promise<void> {
    if (!client) throw new Error(state.problem)
    const isV5 = config.protocol === 5
    const properties = id && isV5 ? { contentType: 'application/json', userProperties: { eventId: id } } : {}
    await client.publishAsync(topic, payload, { qos: 1, retain: isRetained, properties })
  }
  /** The client never settles publications that are unconfirmed when it ends. Events have the time limit of `outputs`. */
  const inTime = <T>(work: Promise<T>): Promise<T> =>
    withTimeout(work, timeoutMs, () => {
      throw new Error(`${broker} has not confirmed within ${timeoutMs} ms`)
    })
  const homeAssistant = config.homeAssistant
    ? createHomeAssistant({
        config,
        sessions,
        settings,
        ownership,
        availability,
        publish: (...message) => inTime(send(...message)),
      })
    : undefined
  /** A failure ends with its connection: the next one announces everything again. */
  function inBackground(what: string, work: () => Promise<unknown>): void {
    const done = work().catch((error: unknown) => log.debug({ reason: reasonOf(error) }, `${what} failed`))
    background(done, what)
  }

  const tidying = createInterval(
    TIDY_MS,
    async () => (state.problem ? undefined : homeAssistant?.tidy()),
    (error) => log.debug({ reason: reasonOf(error) }, 'tidying up failed'),
  )

  function onConnect(maximumPacketSize: number | undefined): void {
    most = maximumPacketSize ?? Number.POSITIVE_INFINITY
    state.connected()
    inBackground('announcing', async () => {
      await inTime(send(availability, 'online', true))
      if (!homeAssistant) return
      await homeAssistant.announce()
      if (client) await inTime(client.subscribeAsync(`${config.discoveryPrefix}/device/+/config`))
    })
  }

  return {
    async publish(message) {
      const { id, address, body } = message
      const size = Buffer.byteLength(body) + Buffer.byteLength(address) + 256
      if (size > most)
        throw gatewayError('OUTPUT_REFUSED', [id, `${size} bytes, and the broker accepts ${most}`])
      try {
        await send(address, body, false, id)
        await homeAssistant?.show(message)
      } catch (error) {
        if ((error as { code?: unknown }).code !== PACKET_TOO_LARGE) throw error
        throw gatewayError('OUTPUT_REFUSED', [id, reasonOf(error)], { cause: error })
      }
    },
    async start() {
      client = connect(config.url, optionsOf(config, clientId, availability))
      client.on('connect', ({ properties }) => onConnect(properties?.maximumPacketSize))
      client.on('close', () => state.lost())
      client.on('error', state.lost)
      client.on('message', (topic, payload) =>
        inBackground('tidying up', async () => homeAssistant?.found(topic, payload)),
      )
      if (homeAssistant) tidying.start()
      unwatch = sessions.watch(({ session }) => {
        if (!state.problem) inBackground('announcing', async () => homeAssistant?.update(session))
      })
    },
    async stop() {
      unwatch()
      await tidying.stop()
      // The broker publishes no last will after a clean disconnect.
      if (client?.connected)
        await withTimeout(send(availability, 'offline', true), CLOSE_MS, () => undefined).catch(
          () => undefined,
        )
      if (client) await withTimeout(client.endAsync(true), CLOSE_MS, () => undefined)
    },
  }
}

function optionsOf(config: MqttConfig, clientId: string, availability: string): IClientOptions {
  const { username, password, protocol } = config
  return {
    clientId,
    protocolVersion: protocol === 4 ? 4 : 5,
    clean: true,
    keepalive: KEEP_ALIVE_SECONDS,
    reconnectPeriod: RECONNECT_MS,
    // Otherwise a login that is refused once, for example while the broker loads its users, is never retried.
    reconnectOnConnackError: true,
    // Publications that are unconfirmed when the connection ends fail, and `outputs` repeats them.
    resubscribe: false,
    queueQoSZero: false,
    will: { topic: availability, payload: Buffer.from('offline'), qos: 1, retain: true },
    ...(username ? { username, password } : {}),
    ...certificates(config),
  }
}
