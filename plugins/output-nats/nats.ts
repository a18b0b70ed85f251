import { isIP } from 'node:net'
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node'
import { type BrokerClient, certificates, type OutputConnection } from 'wamux/outputs'
import { createInterval, gatewayError, reasonOf } from 'wamux/plugin'
import type { NatsConfig } from './config.ts'

const RETRY_MS = 500
/** "message size exceeds maximum allowed", from the stream. */
const TOO_LARGE = 10_054

export function createNats({ config }: { config: NatsConfig }, state: OutputConnection): BrokerClient {
  const { timeoutMs } = config
  const { broker } = state
  let connection: NatsConnection | undefined
  let jetStream: JetStreamClient | undefined

  async function open(): Promise<void> {
    if (connection && !connection.isClosed()) return
    connection = await connect(optionsOf(config))
    void follow(connection)
    try {
      if (config.stream) await makeStream(await jetstreamManager(connection), config)
      jetStream = jetstream(connection)
      state.connected()
    } catch (error) {
      await connection.close()
      throw error
    }
  }
  async function follow(opened: NatsConnection): Promise<void> {
    await opened.closed()
    if (opened === connection) state.lost()
  }
  const connecting = createInterval(RETRY_MS, open, state.lost)

  return {
    async publish({ id, address, body }) {
      if (!jetStream || !connection) throw new Error(state.problem)
      const size = Buffer.byteLength(body)
      const most = connection.info?.max_payload ?? Number.POSITIVE_INFINITY
      if (size > most) throw gatewayError('OUTPUT_REFUSED', [id, `${size} bytes, and max_payload is ${most}`])
      try {
        await jetStream.publish(address, body, { msgID: id, timeout: timeoutMs })
      } catch (error) {
        if ((error as { code?: unknown }).code === TOO_LARGE)
          throw gatewayError('OUTPUT_REFUSED', [id, reasonOf(error)], { cause: error })
        if ((error as Error).name === 'JetStreamNotEnabled')
          throw new Error(`no stream of ${broker} has the subject ${address}`, { cause: error })
        throw error
      }
    },
    async start() {
      // The client ignores a login in the address.
      if (config.url.includes('@'))
        throw gatewayError('CONFIG_INVALID', [
          'output-nats.url takes no login: set username and password, or token',
        ])
      connecting.start()
    },
    async stop() {
      await connecting.stop()
      await connection?.close()
    },
  }
}

function optionsOf(config: NatsConfig): ConnectionOptions {
  const { url, username, password, token } = config
  return {
    name: 'wamux',
    servers: url.split(',').map((server) => server.trim()),
    // The client would reconnect without reporting why it fails.
    reconnect: false,
    // Detects a hanging server by its missing answers.
    pingInterval: 5_000,
    ...(username ? { user: username, pass: password } : {}),
    ...(token ? { token } : {}),
    ...tlsOf(config),
  }
}

/** Without `tls`, the client would also accept a server without TLS: it ignores the scheme `tls://` of an address. */
function tlsOf(config: NatsConfig): Pick<ConnectionOptions, 'tls'> {
  const { url, tlsCa, tlsCert } = config
  if (!/(^|,)\s*tls:/.test(url) && !tlsCa && !tlsCert) return {}
  const [, address = ''] = /^\s*(?:\w+:\/\/)?([\d.]+|\[[^\]]+\])(?::\d+)?\s*(?:,|$)/.exec(url) ?? []
  const host = address.replace(/[[\]]/g, '')
  const tls = {
    ...certificates(config),
    // The name expected in the certificate: for an IP address the client would expect `localhost`.
    ...(isIP(host) ? { host } : {}),
  }
  return { tls }
}

async function makeStream(
  manager: JetStreamManager,
  { stream, streamHours, subject }: NatsConfig,
): Promise<void> {
  // By pages of some hundred names; reading on is the only way to know all.
  for await (const name of manager.streams.names()) if (name === stream) return
  await manager.streams.add({
    name: stream,
    subjects: [subject.replace(/\{\w+\}/g, '*')],
    max_age: streamHours * 3_600 * 1e9,
  })
}
