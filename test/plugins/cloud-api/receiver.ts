import { createHmac } from 'node:crypto'
import {
  type ReceivedDelivery,
  type Receiver,
  type ReceiverReply,
  startReceiver,
} from '../../support/servers/receiver.ts'
import type { LinkedSession, World } from '../../support/world.ts'

export const VERIFY_TOKEN = 'token of the webhook'
export const APP_SECRET = 'secret of the app'

/** A receiver written for the Cloud API: it answers the challenge of those that know the verify token. */
export async function startCloudReceiver(): Promise<CloudReceiver> {
  const receiver = await startReceiver()
  const own = Object.assign(Object.create(receiver) as Receiver, {
    answer(respond: (delivery: ReceivedDelivery) => ReceiverReply | Promise<ReceiverReply>) {
      receiver.answer((delivery) => challengeOf(delivery) ?? respond(delivery))
    },
    bodies: () => receiver.deliveries.filter(({ body }) => body !== '').map(({ body }) => valueIn(body)),
    async body(matches: (value: Value) => boolean): Promise<Value> {
      const found = await receiver.wait(({ body }) => body !== '' && matches(valueIn(body)))
      return valueIn(found.body)
    },
  })
  own.answer(() => ({ status: 200 }))
  return own
}

export interface CloudReceiver extends Receiver {
  /** What was posted, oldest first. */
  bodies(): Value[]
  /** The first that matches, past or coming. */
  body(matches: (value: Value) => boolean): Promise<Value>
}

export interface Value {
  metadata: { display_phone_number: string; phone_number_id: string }
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
  contacts?: any[]
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
  messages?: any[]
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
  statuses?: any[]
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
  message_echoes?: any[]
}

export const setWebhook = (world: World, session: LinkedSession, url: string) =>
  world.gateway.call('PUT', '/cloud-api/webhook', {
    headers: session.headers,
    body: { URL: url, VerifyToken: VERIFY_TOKEN, AppSecret: APP_SECRET },
  })

export function isSigned({ headers, body }: ReceivedDelivery): boolean {
  const right = createHmac('sha256', APP_SECRET).update(body).digest('hex')
  return headers['x-hub-signature-256'] === `sha256=${right}`
}

export function valueIn(body: string): Value {
  return JSON.parse(body).entry[0].changes[0].value
}

export const textsOf = (values: readonly Value[]): string[] =>
  values.flatMap(({ messages = [] }) => messages.map(({ text }) => String(text?.body)))

function challengeOf({ path }: ReceivedDelivery): ReceiverReply | undefined {
  const query = new URL(path, 'http://localhost').searchParams
  if (query.get('hub.mode') !== 'subscribe') return undefined
  if (query.get('hub.verify_token') !== VERIFY_TOKEN) return { status: 403 }
  return { status: 200, body: query.get('hub.challenge') ?? '' }
}
