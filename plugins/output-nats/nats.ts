import { isIP } from 'node:net'
import type { JetStreamClient } from '@nats-io/jetstream'
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node'
import { createInterval, type GatewayContributions, gatewayError, type Kernel, reasonOf } from 'wamux/plugin'
import type { NatsConfig } from './config.ts'

type Output = GatewayContributions['outputs']

export interface NatsOutput extends Output {
  /** Connects, and again whenever the connection was closed. Rejects PLUGIN_UNAVAILABLE without the packages. */
  start(): Promise<void>
  stop(): Promise<void>
}

const RETRY_MS = 500
/** "message size exceeds maximum allowed", of the stream. */
const TOO_LARGE = 10_054

export function createNats({ config, log }: Pick<Kernel<NatsConfig>, 'config' | 'log'>): NatsOutput {
  const { subject: pattern, types, sessions, window, timeoutMs } = config
  const broker = config.url.replace(/\w+:\/\/([^@/,]*@)?/g, '')
  let connection: NatsConnection | undefined
  let jetStream: JetStreamClient | undefined
  let problem = `${broker} is not connected`

  async function open(): Promise<void> {
    if (connection && !connection.isClosed()) return
    const { connect, jetstream, jetstreamManager } = await load()
    connection = await connect(optionsOf(config))
    void follow(connection)
    try {
      if (config.stream) await makeStream(await jetstreamManager(connection), config)
      jetStream = jetstream(connection)
      problem = ''
      log.info({ broker }, 'output connected')
    } catch (error) {
      await connection.close()
      throw error
    }
  }
  async function follow(opened: NatsConnection): Promise<void> {
    await opened.closed()
    if (opened === connection) problem = `${broker} is not connected`
  }
  const connecting = createInterval(RETRY_MS, open, (error) => {
    const reason = `${broker} is not connected: ${reasonOf(error)}`
    if (reason !== problem) log.warn({ reason }, 'output not connected')
    problem = reason
  })

  return {
    ...{ broker, types, sessions, pattern, window, timeoutMs },
    problem: () => problem,
    async publish({ id, address, body }) {
      if (!jetStream || !connection) throw new Error(problem)
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
      await load()
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
    // The client would try again without saying why it fails.
    reconnect: false,
    // A server that hangs is found by its missing answers.
    pingInterval: 5_000,
    ...(username ? { user: username, pass: password } : {}),
    ...(token ? { token } : {}),
    ...tlsOf(config),
  }
}

/** Without `tls` the client would also talk to a server without TLS: it ignores the `tls://` of an address. */
function tlsOf({ url, tlsCa, tlsCert, tlsKey }: NatsConfig): Pick<ConnectionOptions, 'tls'> {
  if (!/(^|,)\s*tls:/.test(url) && !tlsCa && !tlsCert) return {}
  const [, address = ''] = /^\s*(?:\w+:\/\/)?([\d.]+|\[[^\]]+\])(?::\d+)?\s*(?:,|$)/.exec(url) ?? []
  const host = address.replace(/[[\]]/g, '')
  const tls = {
    ...(tlsCa ? { ca: tlsCa } : {}),
    ...(tlsCert ? { cert: tlsCert, key: tlsKey } : {}),
    // Which the certificate must name: of a server without a host name the client expects `localhost`.
    ...(isIP(host) ? { host } : {}),
  }
  return { tls }
}

async function makeStream(
  manager: Awaited<ReturnType<Awaited<ReturnType<typeof load>>['jetstreamManager']>>,
  { stream, streamHours, subject }: NatsConfig,
): Promise<void> {
  const names = await manager.streams.names().next()
  if (names.includes(stream)) return
  await manager.streams.add({
    name: stream,
    subjects: [subject.replace(/\{\w+\}/g, '*')],
    max_age: streamHours * 3_600 * 1e9,
  })
}

/** Installed by those who use it. */
async function load() {
  try {
    const [{ connect }, { jetstream, jetstreamManager }] = await Promise.all([
      import('@nats-io/transport-node'),
      import('@nats-io/jetstream'),
    ])
    return { connect, jetstream, jetstreamManager }
  } catch (cause) {
    const command = 'npm install @nats-io/transport-node@3.3.1 @nats-io/jetstream@3.3.1'
    throw gatewayError('PLUGIN_UNAVAILABLE', ['output-nats', `install its packages: ${command}`], { cause })
  }
}
