import { Readable } from 'node:stream'
import { type GatewayServices, type Kernel, type RouteBuilder, reply, T } from 'wamux/plugin'
import type { Feed, FeedEvent } from './feed.ts'
import { ShownMessage } from './routes-chats.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'sandbox'>

const access = 'admin' as const
const HEARTBEAT_MS = 15_000
const EPOCH = '[0-9a-z]{1,12}'

const Change = T.Object(
  {
    Kind: T.String({ description: 'phone, message, typing, fault, stanza or reset' }),
    Phone: T.String({ description: 'Number of the account; empty for the whole network' }),
    Time: T.Integer({ description: 'Milliseconds since 1970' }),
    Message: T.Optional(T.Union([ShownMessage, T.Null()])),
    Chat: T.Optional(T.String()),
    From: T.Optional(T.String()),
    State: T.Optional(T.String({ description: 'composing, recording or paused' })),
    Direction: T.Optional(T.String({ description: 'Seen from the device: up or down' })),
    Device: T.Optional(T.Integer({ description: '0 for the phone' })),
    Stanza: T.Optional(
      T.Record(T.String(), T.Unknown(), {
        description: '`Tag`, `Attrs`, and one of `Nodes`, `Text` and `Base64`; long contents are truncated',
      }),
    ),
  },
  { title: 'SandboxChange' },
)

/** The stream of changes on the phones. */
export const streamRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/sandbox/stream', {
    summary: 'Stream the changes of the phones as server-sent events',
    description:
      '`phone`: an account, its companions or calls have changed; `message`: one is new or has changed; `typing`; `fault`; `reset`: read everything again, because changes were dropped. A client that reconnects resumes with `Last-Event-ID`. A comment every 15 seconds serves as heartbeat.',
    access,
    example: { stanzas: true },
    body: T.Object({
      phone: T.Optional(T.String({ format: 'phone', description: 'Only changes of this account' })),
      stanzas: T.Optional(
        T.Boolean({ default: false, description: 'Also every stanza of the network, as `stanza`' }),
      ),
    }),
    response: T.Unknown({
      contentMediaType: 'text/event-stream',
      description: 'Server-sent events; the data of each is JSON',
      contentSchema: Change,
    }),
    async handle({ body, header, signal }, { sandbox }) {
      const { feed } = sandbox.network
      const phone = body.phone === undefined ? undefined : sandbox.phones.get(body.phone).account.phone
      const isWanted = (event: FeedEvent): boolean =>
        (body.stanzas === true || event.kind !== 'stanza') &&
        (phone === undefined || event.phone === phone || event.phone === '')
      const from = cursorOf(feed, header('last-event-id'))
      const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }
      return reply(Readable.from(lines({ feed, from, isWanted, signal })), headers)
    },
  }),
]

interface Watch {
  feed: Feed
  /** Undefined if the client's last event is no longer known. */
  from: number | undefined
  isWanted: (event: FeedEvent) => boolean
  signal: AbortSignal
}

async function* lines({ feed, from, isWanted, signal }: Watch): AsyncGenerator<string> {
  let cursor = from ?? feed.last
  yield `id: ${feed.epoch}-${cursor}\nretry: 1000\n\n`
  if (from === undefined) yield reset(feed)
  while (!signal.aborted) {
    const events = feed.after(cursor)
    cursor = events?.at(-1)?.seq ?? feed.last
    if (!events) yield reset(feed)
    const text = (events ?? []).filter(isWanted).map((event) => lineOf(feed, event))
    if (text.length > 0) yield text.join('')
    else if (!(await feed.wait(cursor, HEARTBEAT_MS, signal))) yield ': alive\n\n'
  }
}

function lineOf({ epoch }: Feed, { seq, kind, phone, time, view }: FeedEvent): string {
  const data = { Kind: kind, Phone: phone, Time: time, ...view() }
  return `id: ${epoch}-${seq}\ndata: ${JSON.stringify(data)}\n\n`
}

function reset({ epoch, last }: Feed): string {
  const data = { Kind: 'reset', Phone: '', Time: Date.now() }
  return `id: ${epoch}-${last}\ndata: ${JSON.stringify(data)}\n\n`
}

/** The position of a reconnecting client; undefined if it belongs to another process. */
function cursorOf(feed: Feed, id: string): number | undefined {
  if (!id) return feed.last
  const [, epoch, seq] = new RegExp(`^(${EPOCH})-(\\d{1,15})$`).exec(id) ?? []
  return epoch === feed.epoch ? Number(seq) : undefined
}
