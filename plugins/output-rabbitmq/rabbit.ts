import { setImmediate } from 'node:timers/promises'
import type { Connection, Publisher } from 'rabbitmq-client'
import {
  createInterval,
  type GatewayContributions,
  gatewayError,
  type Kernel,
  reasonOf,
  withTimeout,
} from 'wamux/plugin'
import type { RabbitConfig } from './config.ts'

type Output = GatewayContributions['outputs']

export interface RabbitOutput extends Output {
  /** Connects, and again whenever the connection was lost. Rejects PLUGIN_UNAVAILABLE without the package. */
  start(): Promise<void>
  stop(): Promise<void>
}

const CLOSE_MS = 1_000
const RETRY_MS = 500

export function createRabbit({ config, log }: Pick<Kernel<RabbitConfig>, 'config' | 'log'>): RabbitOutput {
  const { exchange, mandatory, routingKey: pattern, types, sessions, window, timeoutMs } = config
  const broker = new URL(config.url).host
  const isDown = `${broker} is not connected`
  /** Ids of messages that were sent back before their confirmation. */
  const returned = new Set<string>()
  let connection: Connection | undefined
  let publisher: Publisher | undefined
  let problem = isDown

  function fail(reason: string): void {
    if (reason !== problem) log.warn({ reason }, 'output not connected')
    problem = reason
  }
  async function open(): Promise<void> {
    if (connection) return
    const { Connection } = await load()
    const opened = new Connection(optionsOf(config))
    connection = opened
    opened.on('connection', () => {
      problem = ''
      log.info({ broker }, 'output connected')
    })
    opened.on('error', (error: unknown) => {
      fail(`${isDown}: ${reasonOf(error)}`)
      // It would try again by itself, and not say why it fails after its second try.
      opened.unsafeDestroy()
      connection = undefined
      publisher = undefined
    })
    opened.on('connection.blocked', (reason) => {
      problem = `${broker} accepts no messages: ${reason}`
      log.warn({ reason: problem }, 'output blocked')
    })
    opened.on('connection.unblocked', () => {
      problem = ''
    })
    publisher = opened.createPublisher(publisherOf(config))
    publisher.on('basic.return', ({ messageId = '' }) => void returned.add(messageId))
  }
  const connecting = createInterval(RETRY_MS, open, (error) => fail(`${isDown}: ${reasonOf(error)}`))

  return {
    ...{ broker, types, sessions, pattern, window, timeoutMs },
    problem: () => problem,
    async publish({ id, type, time, address, body }) {
      if (!publisher) throw new Error(problem)
      returned.delete(id)
      const envelope = {
        exchange,
        routingKey: address,
        messageId: id,
        type,
        mandatory,
        durable: true,
        contentType: 'application/json',
        contentEncoding: 'utf-8',
        timestamp: Math.floor(Date.parse(time) / 1000),
      }
      try {
        await publisher.send(envelope, Buffer.from(body))
      } catch (error) {
        if (!/message size .* (larger|exceed)/i.test(reasonOf(error))) throw error
        throw gatewayError('OUTPUT_REFUSED', [id, reasonOf(error)], { cause: error })
      }
      // The client emits a return in the next turn of the event loop, its confirmation in this one.
      if (mandatory) await setImmediate()
      if (returned.delete(id))
        throw new Error(`no queue is bound to the exchange "${exchange}" for the routing key "${address}"`)
    },
    async start() {
      assertEncrypted(config)
      await load()
      connecting.start()
    },
    async stop() {
      await connecting.stop()
      problem = isDown
      const closed = Promise.resolve(publisher?.close()).then(() => connection?.close())
      await withTimeout(closed, CLOSE_MS, () => connection?.unsafeDestroy()).catch(() =>
        connection?.unsafeDestroy(),
      )
    },
  }
}

function optionsOf({ url, tlsCa, tlsCert, tlsKey, timeoutMs }: RabbitConfig) {
  const isTls = url.startsWith('amqps:')
  return {
    url,
    connectionName: 'wamux',
    acquireTimeout: timeoutMs,
    heartbeat: 10,
    ...(isTls && (tlsCa || tlsCert)
      ? { tls: { ...(tlsCa ? { ca: tlsCa } : {}), ...(tlsCert ? { cert: tlsCert, key: tlsKey } : {}) } }
      : {}),
  }
}

/** What is made again on each connection. */
function publisherOf({ exchange, queue }: RabbitConfig) {
  return {
    confirm: true,
    exchanges: [{ exchange, type: 'topic', durable: true }],
    queues: queue ? [{ queue, durable: true }] : [],
    queueBindings: queue ? [{ exchange, queue, routingKey: '#' }] : [],
  }
}

/** Certificates are of no use without TLS, which the scheme of the address begins. */
function assertEncrypted({ url, tlsCa, tlsCert }: RabbitConfig): void {
  if ((tlsCa || tlsCert) && !url.startsWith('amqps:'))
    throw gatewayError('CONFIG_INVALID', [
      'output-rabbitmq.url must begin with amqps:// where certificates are set',
    ])
}

/** Installed by those who use it. */
async function load() {
  try {
    return await import('rabbitmq-client')
  } catch (cause) {
    const words = 'install its package: npm install rabbitmq-client@5.0.8'
    throw gatewayError('PLUGIN_UNAVAILABLE', ['output-rabbitmq', words], { cause })
  }
}
