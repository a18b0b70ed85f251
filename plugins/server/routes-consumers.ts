import { digits } from 'wamux/messaging'
import {
  type ConsumerState,
  gatewayError,
  type Kernel,
  pageOf,
  type RouteBuilder,
  type Row,
  T,
} from 'wamux/plugin'
import type { ConsumerTasks } from './consumer-tasks.ts'
import type { DeadLetters } from './dead-letters.ts'

type Deps = Pick<Kernel<unknown>, 'consumers' | 'db' | 'sessions'> & {
  consumerTasks: ConsumerTasks
  deadLetters: DeadLetters
}

const Seqs = T.Optional(
  T.Array(T.Integer({ minimum: 1 }), {
    description: 'Seqs of the dead letters; all when absent',
    maxItems: 1_000,
  }),
)
const CatchUp = T.Object({
  Session: T.String(),
  Lag: T.Integer(),
  Failures: T.Integer({ description: 'Number of failures since the last success' }),
  Error: T.String(),
  RetryAt: T.String({ description: 'Time of the next attempt; empty if none is scheduled' }),
})
const Consumer = T.Object({
  Name: T.String(),
  Lag: T.Integer({ description: 'Number of logged events that it has not handled' }),
  Behind: T.Array(CatchUp, {
    description: 'Sessions in which it is behind the others, the slowest first; at most 10',
  }),
  DeadLetters: T.Integer(),
})

const MAX_LETTERS = 1_000

/** Durable consumers of the event log, for operators. */
export const consumerRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/server/consumers', {
    summary: 'List the consumers of the event log with their backlogs and dead letters',
    access: 'admin',
    description: 'With the plugin cluster, backlogs are the sums over all nodes that answered.',
    response: T.Object({
      Consumers: T.Array(Consumer),
      Unanswered: T.Array(T.String(), {
        description: 'Names of nodes that did not answer: the backlogs of their sessions are unknown',
      }),
    }),
    async handle(_, { consumers, deadLetters }) {
      const counts = await deadLetters.counts()
      return {
        Consumers: consumers.list().map((one) => toConsumer(one, counts.get(one.name) ?? 0)),
        Unanswered: [],
      }
    },
  }),
  r.post('/server/consumers/:name/replay', {
    leaves: [],
    params: { name: 'webhook' },
    summary: 'Move the cursor of a consumer: handle events again, or skip them',
    access: 'admin',
    audit: 'consumer.replay',
    example: { Since: '2026-01-31T12:00:00Z' },
    description:
      'Set `After`, the seq of the last event that counts as handled, or `Since`, the time from which events are handled again. Events keep their ids, so receivers can recognise repetitions. A process that serves other sessions follows within seconds.',
    body: T.Object({
      After: T.Optional(T.Integer({ minimum: 0 })),
      Since: T.Optional(T.String({ minLength: 1, maxLength: 64, description: 'RFC 3339' })),
      Session: T.Optional(
        T.String({ minLength: 1, format: 'id', description: 'Id of a session; all when absent' }),
      ),
    }),
    response: T.Object({ After: T.Integer(), Sessions: T.Integer() }),
    async handle({ body, params }, { consumers, consumerTasks, sessions, db }) {
      const consumer = nameOf(consumers, params)
      const seq = body.After ?? (await seqBefore(db, body.Since))
      const one = body.Session ? await sessions.byId(body.Session) : undefined
      if (body.Session && !one) throw gatewayError('ITEM_UNKNOWN', ['Session'])
      const moved = one ? [one] : await sessions.list()
      await consumerTasks.add(moved.map(({ id: session }) => ({ consumer, session, kind: 'move', seq })))
      return { After: seq, Sessions: moved.length }
    },
  }),
  r.get('/server/consumers/:name/dead-letters', {
    params: { name: 'webhook' },
    summary: 'List the events that a consumer has given up, oldest first',
    description:
      'Only consumers configured for it give up events; others retry without end. A page has at most 1000 and a megabyte.',
    access: 'admin',
    body: T.Object({ after: digits('`After` of the previous page') }),
    response: T.Object({
      DeadLetters: T.Array(
        T.Object({
          Seq: T.Integer(),
          Session: T.String(),
          Id: T.String({ description: 'Id of the event' }),
          Type: T.String(),
          Attempts: T.Integer(),
          Error: T.String(),
          Time: T.String(),
        }),
      ),
      After: T.Integer({ description: 'Pass it as `after` to get the next page; 0 if there is none' }),
    }),
    async handle({ body, params }, { consumers, deadLetters }) {
      const name = nameOf(consumers, params)
      const found = await deadLetters.of(name, undefined, MAX_LETTERS, Number(body.after ?? 0))
      const page = pageOf(found, ({ seq, session, event, type, attempts, error, time }) => ({
        Seq: seq,
        Session: session,
        Id: event,
        Type: type,
        Attempts: attempts,
        Error: error,
        Time: new Date(time).toISOString(),
      }))
      const isLast = !page.isCut && found.length < MAX_LETTERS
      return { DeadLetters: page.items, After: isLast ? 0 : (page.cursor?.seq ?? 0) }
    },
  }),
  r.post('/server/consumers/:name/dead-letters/retry', {
    leaves: [],
    params: { name: 'webhook' },
    summary: 'Retry dead letters of a consumer; the handled ones are removed',
    access: 'admin',
    audit: 'consumer.retry',
    description: 'All of them, or those in `Seqs`.',
    body: T.Object({ Seqs }),
    response: T.Object({
      Tried: T.Integer(),
      Left: T.Integer({
        description: 'Refused again, or left to the process that serves the session',
      }),
    }),
    async handle({ body, params }, { consumers, consumerTasks, deadLetters }) {
      const consumer = nameOf(consumers, params)
      const letters = await deadLetters.of(consumer, body.Seqs, MAX_LETTERS)
      await consumerTasks.add(letters.map(({ session, seq }) => ({ consumer, session, kind: 'retry', seq })))
      const left = await deadLetters.of(
        consumer,
        letters.map(({ seq }) => seq),
        MAX_LETTERS,
      )
      return { Tried: letters.length, Left: left.length }
    },
  }),
  r.post('/server/consumers/:name/dead-letters/drop', {
    leaves: [],
    isDestructive: true,
    params: { name: 'webhook' },
    summary: 'Remove dead letters',
    access: 'admin',
    audit: 'consumer.drop',
    description: 'All of them, or those in `Seqs`. The events stay in the log.',
    body: T.Object({ Seqs }),
    response: T.Object({ Dropped: T.Integer() }),
    handle: async ({ body, params }, { consumers, deadLetters }) => ({
      Dropped: await deadLetters.drop(nameOf(consumers, params), body.Seqs),
    }),
  }),
]

function nameOf(consumers: Deps['consumers'], { name = '' }: Readonly<Record<string, string>>): string {
  if (!consumers.list().some((one) => one.name === name)) throw gatewayError('ITEM_UNKNOWN', ['Consumer'])
  return name
}

/** The seq before the first event logged since then. */
async function seqBefore(db: Deps['db'], since: string | undefined): Promise<number> {
  if (since === undefined) throw gatewayError('FIELD_INVALID', ['After', 'set After or Since'])
  const time = Date.parse(since)
  if (Number.isNaN(time)) throw gatewayError('FIELD_INVALID', ['Since', 'must be a time in RFC 3339'])
  const first = await db.read<Row>('events').where('logged', '>=', time).min({ seq: 'seq' }).first()
  const last = await db.read<Row>('events').max({ seq: 'seq' }).first()
  return first?.['seq'] ? Number(first['seq']) - 1 : Number(last?.['seq'] ?? 0)
}

function toConsumer({ name, lag, behind }: ConsumerState, letters: number) {
  const Behind = behind.map(({ session, lag: own, failures, error, retryAt }) => ({
    Session: session,
    Lag: own,
    Failures: failures,
    Error: error,
    RetryAt: retryAt > 0 ? new Date(retryAt).toISOString() : '',
  }))
  return { Name: name, Lag: lag, Behind, DeadLetters: letters }
}
