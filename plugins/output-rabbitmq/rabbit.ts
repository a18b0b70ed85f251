import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { Connection, type Publisher } from 'rabbitmq-client'
import { type BrokerClient, certificates, type OutputConnection } from 'wamux/outputs'
import { createInterval, gatewayError, reasonOf, withTimeout } from 'wamux/plugin'
import type { RabbitConfig } from './config.ts'

const CLOSE_MS = 1_000
const RETRY_MS = 500

export function createRabbit({ config }: { config: RabbitConfig }, state: OutputConnection): BrokerClient {
  const { exchange, mandatory } = config
  /** Ids of messages that the server returned as unroutable, before it confirmed them. */
  const returned = new Set<string>()
  let connection: Connection | undefined
  let publisher: Publisher | undefined

  async function open(): Promise<void> {
    if (connection) return
    const opened = new Connection(optionsOf(config))
    guardReading(opened)
    connection = opened
    opened.on('connection', state.connected)
    opened.on('error', (error: unknown) => {
      state.lost(error)
      // The client would reconnect itself, but report no reason after the second attempt.
      opened.unsafeDestroy()
      connection = undefined
      publisher = undefined
    })
    opened.on('connection.blocked', state.blocked)
    opened.on('connection.unblocked', state.unblocked)
    publisher = opened.createPublisher(publisherOf(config))
    publisher.on('basic.return', ({ messageId = '' }) => void returned.add(messageId))
  }
  const connecting = createInterval(RETRY_MS, open, state.lost)

  return {
    async publish({ id, type, time, address, body }) {
      if (!publisher) throw new Error(state.problem)
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
        if (!/message size .{0,200} (larger|exceed)/i.test(reasonOf(error))) throw error
        throw gatewayError('OUTPUT_REFUSED', [id, reasonOf(error)], { cause: error })
      }
      // The client emits a return one turn of the event loop later than the confirmation.
      if (mandatory) await setImmediate()
      if (returned.delete(id))
        throw new Error(`no queue is bound to the exchange "${exchange}" for the routing key "${address}"`)
    },
    async start() {
      connecting.start()
    },
    async stop() {
      await connecting.stop()
      const closed = Promise.resolve(publisher?.close()).then(() => connection?.close())
      await withTimeout(closed, CLOSE_MS, () => connection?.unsafeDestroy()).catch(() =>
        connection?.unsafeDestroy(),
      )
    },
  }
}

/**
 * Another kind of server at the address, for example one of HTTP, sends what the client reads as the size of a frame. Node
 * throws for a size of more than 1 GiB, which in the client's event handler (5.0.8, `createAsyncReader`) ends the process.
 */
function guardReading(opened: Connection): void {
  const { _socket: socket } = opened as unknown as { _socket: Socket }
  const read = socket.read.bind(socket)
  socket.read = (size?: number): unknown => {
    try {
      return read(size)
    } catch (error) {
      socket.destroy(new Error('the server does not speak AMQP', { cause: error }))
      return null
    }
  }
}

function optionsOf(config: RabbitConfig) {
  const { url, timeoutMs } = config
  return {
    url,
    connectionName: 'wamux',
    acquireTimeout: timeoutMs,
    heartbeat: 10,
    ...(url.startsWith('amqps:') ? { tls: certificates(config) } : {}),
  }
}

/** The exchange, queue and binding are declared on each connection. */
function publisherOf({ exchange, queue }: RabbitConfig) {
  return {
    confirm: true,
    exchanges: [{ exchange, type: 'topic', durable: true }],
    queues: queue ? [{ queue, durable: true }] : [],
    queueBindings: queue ? [{ exchange, queue, routingKey: '#' }] : [],
  }
}
