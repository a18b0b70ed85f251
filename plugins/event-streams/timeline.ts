import { unixSeconds } from 'wamux/messaging'
import {
  type Events,
  type GatewayServices,
  type LogEvent,
  PAGE_BYTES,
  type Session,
  type Viewer,
} from 'wamux/plugin'
import { hasId } from './source.ts'

/** The timeline of one message, from the log and the tables of driver and webhooks. */
export interface Timeline {
  /** undefined for a message of which nothing is stored, or that the viewer does not see. */
  of(session: Session, id: string, viewer: Viewer): Promise<MessageTimeline | undefined>
}

export interface MessageTimeline {
  readonly chat: string
  readonly isFromMe: boolean
  /** The event of the message itself. */
  readonly event: LogEvent | undefined
  readonly steps: Step[]
  readonly deliveries: Delivered[]
  readonly isTruncated: boolean
}

interface Step {
  Step: string
  At: string
  Clock: 'gateway' | 'network'
  By?: string
  Details?: string
  EventId?: string
  Seq?: number
}

interface Delivered {
  Endpoint: string
  URL: string
  State: string
  NextAt: string
  Attempts: {
    Attempt: number
    At: string
    Milliseconds: number
    Accepted: boolean
    Status: string
    Answer: string
  }[]
}

type Deps = { events: Events } & Partial<
  Pick<GatewayServices, 'messageTimes' | 'messageStates' | 'deliveryTimes'>
>

/** Event types under which a message is logged. */
const OWN_TYPES = ['Message', 'SendFailed', 'UndecryptableMessage']
/** A row is queued shortly before its event, and clocks of different processes differ slightly. */
const SLACK_MS = 5_000
const PAGE = 500
/** Most events read to find the message's event, and then the receipts in its chat. */
const MAX_READ = 5_000
const MAX_RECEIPTS = 500

export function createTimeline({ events, messageTimes, messageStates, deliveryTimes }: Deps): Timeline {
  async function* read(seq: number, filter: Parameters<Events['after']>[2]): AsyncGenerator<LogEvent> {
    for (let from = seq, count = 0; count < MAX_READ; ) {
      const page = await events.after(from, PAGE, { ...filter, bytes: PAGE_BYTES })
      yield* page
      from = page.at(-1)?.seq ?? from
      count += page.length
      if (page.length === 0) return
    }
  }

  /** The first event of the message after `seq`. */
  async function find(
    session: string,
    id: string,
    seq: number,
    viewer: Viewer,
  ): Promise<LogEvent | undefined> {
    for await (const line of read(seq, { session, types: OWN_TYPES }))
      if (hasId(line, id) && idOf(line) === id && (await viewer.seesEvent(line))) return line
    return undefined
  }

  /** Events of the message after `seq`: its own, and receipts, the first of which may be logged before it. */
  async function related(session: string, id: string, seq: number, viewer: Viewer): Promise<LogEvent[]> {
    const first = await find(session, id, seq, viewer)
    if (!first) return []
    const found: LogEvent[] = []
    const types = [...OWN_TYPES, 'ReadReceipt']
    for await (const line of read(seq, { session, lane: first.lane, types })) {
      if (!hasId(line, id) || !concerns(line, id)) continue
      found.push(line)
      if (found.length > MAX_RECEIPTS) break
    }
    return found
  }

  return {
    async of(session, id, viewer) {
      const known = await messageTimes?.sent(session.id, id, viewer)
      const received = await messageTimes?.received(session.id, id, viewer)
      const span = await messageStates?.span(session.id, id, viewer)
      const times = [known && (known.ended || known.accepted), received, span?.first]
      const began = times.filter((time) => time !== undefined)
      if (began.length === 0) return undefined
      const seq = await events.seqAt(Math.min(...began) - SLACK_MS)
      const lines = seq === undefined ? [] : await related(session.id, id, seq - 1, viewer)
      // The outcome is committed with its event, perhaps only after the first reading.
      const sent = known?.ended === 0 ? await messageTimes?.sent(session.id, id, viewer) : known
      const event =
        lines.find(({ type }) => type === 'Message') ?? lines.find(({ type }) => type !== 'ReadReceipt')
      const steps = [
        ...(sent ? ofSent(sent) : []),
        ...(received === undefined ? [] : [step('received', received)]),
        ...lines.slice(0, MAX_RECEIPTS).flatMap((line) => ofLine(line, sent)),
      ]
      const deliveries =
        event && !viewer.isLimited ? ((await deliveryTimes?.of(session, event.seq)) ?? []) : []
      return {
        chat: sent?.chat ?? chatOf(event),
        isFromMe: sent !== undefined || isOwn(event),
        event,
        steps: inOrder(steps),
        deliveries: deliveries.map(toDelivered),
        isTruncated: lines.length > MAX_RECEIPTS,
      }
    },
  }
}

type Sent = NonNullable<Awaited<ReturnType<GatewayServices['messageTimes']['sent']>>>

function ofSent({ state, accepted, written, ended, acked, error }: Sent): Step[] {
  return [
    step('accepted', accepted),
    ...(written > 0 ? [step('written', written)] : []),
    // A row from before the column existed has only the network's time.
    ...(state === 'acked' && ended > 0 ? [step('acked', ended)] : []),
    ...(state === 'acked' && ended === 0 ? [{ Step: 'acked', At: acked, Clock: 'network' as const }] : []),
    ...(isUnsent(state) ? [{ ...step(state, ended), Details: error }] : []),
  ]
}

function isUnsent(state: Sent['state']): state is 'failed' | 'unknown' {
  return state === 'failed' || state === 'unknown'
}

/** Receipts by the network's time, the others by the log's. */
function ofLine(line: LogEvent, sent: Sent | undefined): Step[] {
  const { type, seq, id, time, logged = Date.parse(time) } = line
  const ids = { EventId: id, Seq: seq }
  if (type === 'Message') return [{ ...step('logged', logged), ...ids }]
  if (type === 'UndecryptableMessage') return [{ ...step('undecryptable', logged), ...ids }]
  const event = fieldsOf(line)
  if (type === 'SendFailed') {
    const { Error: reason, Outcome: outcome = 'failed' } = event
    // The row's own failure is already shown with the same text; others belong to earlier attempts.
    const isShown = sent && isUnsent(sent.state) && sent.error === reason
    return isShown ? [] : [{ ...step(String(outcome), logged), Details: String(reason), ...ids }]
  }
  const reached = String(line.body['state'])
  const name = reached.replace('Self', '').toLowerCase()
  return [{ Step: name, At: time, Clock: 'network', By: String(event['Sender']), ...ids }]
}

/** The order in which steps happen, since the network's times have whole seconds. */
const ORDER = [
  'accepted',
  'written',
  'acked',
  'failed',
  'unknown',
  'received',
  'undecryptable',
  'logged',
  'delivered',
]

function inOrder(steps: Step[]): Step[] {
  const rank = ({ Step }: Step): number => (ORDER.includes(Step) ? ORDER.indexOf(Step) : ORDER.length)
  const second = ({ At }: Step): number => unixSeconds(At)
  return steps.sort((a, b) => second(a) - second(b) || rank(a) - rank(b) || a.At.localeCompare(b.At))
}

function step(name: string, at: number): Step {
  return { Step: name, At: new Date(at).toISOString(), Clock: 'gateway' }
}

function fieldsOf({ body }: LogEvent): Record<string, unknown> {
  return (body['event'] ?? {}) as Record<string, unknown>
}

function infoOf(line: LogEvent): Record<string, unknown> {
  return (fieldsOf(line)['Info'] ?? {}) as Record<string, unknown>
}

function idOf(line: LogEvent): unknown {
  return line.type === 'SendFailed' ? fieldsOf(line)['Id'] : infoOf(line)['ID']
}

function concerns(line: LogEvent, id: string): boolean {
  const { MessageIDs } = fieldsOf(line)
  return line.type === 'ReadReceipt'
    ? Array.isArray(MessageIDs) && MessageIDs.includes(id)
    : idOf(line) === id
}

function chatOf(event: LogEvent | undefined): string {
  return event ? String(infoOf(event)['Chat'] ?? fieldsOf(event)['Chat'] ?? '') : ''
}

function isOwn(event: LogEvent | undefined): boolean {
  return event !== undefined && infoOf(event)['IsFromMe'] === true
}

function toDelivered(one: Awaited<ReturnType<GatewayServices['deliveryTimes']['of']>>[number]): Delivered {
  return {
    Endpoint: one.endpoint,
    URL: one.url,
    State: one.state,
    NextAt: one.nextAt,
    Attempts: one.attempts.map(({ Seq: _, Endpoint: __, ...attempt }) => attempt),
  }
}
