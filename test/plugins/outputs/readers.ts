import { jetstreamManager } from '@nats-io/jetstream'
import { connect as connectNats } from '@nats-io/transport-node'
import { createClient } from '@redis/client'
import { connectAsync } from 'mqtt'
import { Connection } from 'rabbitmq-client'

/** A message as a receiver of the broker sees it. */
export interface Received {
  /** The message id of the broker, or what it has in its place. */
  readonly id: string
  readonly address: string
  readonly body: Record<string, unknown>
}

/** What a receiver of the broker has got so far, in order. */
export interface Reader {
  read(): Promise<readonly Received[]>
  close(): Promise<void>
}

/** How a reader logs in to a server with TLS. */
export interface Access {
  readonly username: string
  readonly password: string
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string }
}

const toReceived = (id: unknown, address: string, body: string): Received => ({
  id: String(id),
  address,
  body: JSON.parse(body) as Record<string, unknown>,
})

/** Reads the stream from its beginning. */
export async function readNats(port: number, access?: Access): Promise<Reader> {
  // By default the client checks the certificate of an address for the name `localhost`.
  const tls = { ...access?.tls, host: '127.0.0.1' }
  const connection = await connectNats({
    servers: `127.0.0.1:${port}`,
    ...(access ? { user: access.username, pass: access.password, tls } : {}),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  })
  const { streams } = await jetstreamManager(connection)
  return {
    async read() {
      const { state } = await streams.info('WAMUX')
      const received: Received[] = []
      for (let seq = state.first_seq; seq <= state.last_seq && state.messages > 0; seq += 1) {
        const message = await streams.getMessage('WAMUX', { seq })
        if (message)
          received.push(toReceived(message.header.get('Nats-Msg-Id'), message.subject, message.string()))
      }
      return received
    },
    close: () => connection.close(),
  }
}

export interface RabbitReader extends Reader {
  /** Deletes the queue, so that none is bound to the exchange, or makes it again. */
  unbind(): Promise<unknown>
  bind(): Promise<unknown>
}

/** Removes the messages from the queue. */
export async function readRabbit(port: number, access?: Access): Promise<RabbitReader> {
  const { username, password, tls } = access ?? { username: 'guest', password: 'guest', tls: undefined }
  const connection = new Connection({
    ...{ hostname: '127.0.0.1', port, username, password },
    ...(tls ? { tls } : {}),
    retryLow: 100,
    retryHigh: 300,
  })
  connection.on('error', () => undefined)
  const received: Received[] = []
  return {
    async read() {
      for (;;) {
        const message = await connection.basicGet({ queue: 'wamux', noAck: true })
        if (!message) return received
        received.push(toReceived(message.messageId, message.routingKey, String(message.body)))
      }
    },
    unbind: () => connection.queueDelete({ queue: 'wamux' }),
    async bind() {
      await connection.queueDeclare({ queue: 'wamux', durable: true })
      await connection.queueBind({ exchange: 'wamux', queue: 'wamux', routingKey: '#' })
    },
    close: async () => connection.unsafeDestroy(),
  }
}

/** Reads the stream from its beginning. */
export async function readRedis(port: number, access?: Access): Promise<Reader> {
  const { tls, ...login } = access ?? {}
  const socket = { host: '127.0.0.1', port, reconnectStrategy: 100 }
  const client = createClient({ ...login, socket: tls ? { ...socket, tls: true, ...tls } : socket })
  client.on('error', () => undefined)
  await client.connect()
  return {
    read: async () =>
      ((await client.xRange('wamux:events', '-', '+')) ?? []).flatMap((entry) =>
        entry ? toReceived(entry.message['id'], 'wamux:events', String(entry.message['body'])) : [],
      ),
    close: async () => client.destroy(),
  }
}

export interface MqttReader extends Reader {
  /** The newest payload of every topic, also of retained messages. */
  readonly topics: ReadonlyMap<string, string>
}

/** Subscribes with a session that the broker keeps under the client id. */
export async function readMqtt(
  port: number,
  { tls, clientId = 'reader', ...login }: Partial<Access> & { clientId?: string } = {},
): Promise<MqttReader> {
  const url = `${tls ? 'mqtts' : 'mqtt'}://127.0.0.1:${port}`
  const options = { clientId, clean: false, protocolVersion: 5, reconnectPeriod: 100 } as const
  const client = await connectAsync(url, {
    ...options,
    ...login,
    ...tls,
    properties: { sessionExpiryInterval: 3_600 },
  })
  client.on('error', () => undefined)
  const received: Received[] = []
  const topics = new Map<string, string>()
  client.on('message', (topic, payload, { properties }) => {
    topics.set(topic, payload.toString())
    const id = properties?.userProperties?.['eventId']
    if (id) received.push(toReceived(id, topic, payload.toString()))
  })
  await client.subscribeAsync('#', { qos: 1 })
  return { read: async () => received, topics, close: () => client.endAsync(true) }
}
