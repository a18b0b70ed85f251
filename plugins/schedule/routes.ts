import {
  type GatewayServices,
  gatewayError,
  type Kernel,
  type RouteBuilder,
  T,
  type Viewer,
} from 'wamux/plugin'
import type { Scheduler } from './scheduler.ts'
import { ENDED, OPEN, type Scheduled, type Store } from './store.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'sender'> & { scheduler: Scheduler; store: Store }

const STATES = { waiting: OPEN, ended: ENDED, all: [...OPEN, ...ENDED] } as const
const MAX_LIMIT = 200
const access = 'token'
// A key limited to some chats is checked here, by the chats of the messages.
const isFiltered = true

const View = T.Object(
  {
    Id: T.String({ description: 'Also the id of the sent message' }),
    Chat: T.String({ description: 'Can be used as Phone' }),
    Route: T.String({ description: 'The route with which it was scheduled' }),
    SendAt: T.String({ format: 'date-time' }),
    State: T.String({ description: 'waiting, sending, sent, cancelled or failed' }),
    Text: T.String({ description: 'First 200 characters of its text or caption' }),
    Error: T.String({ description: 'Why it failed; empty otherwise' }),
  },
  { title: 'ScheduledMessage' },
)

export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/schedule', {
    summary: 'List the scheduled messages in order of time',
    access,
    isFiltered,
    example: { state: 'waiting' },
    body: T.Object({
      state: T.Optional(
        T.Unsafe<keyof typeof STATES>({
          type: 'string',
          enum: Object.keys(STATES),
          description: 'waiting (default), ended (sent, cancelled, failed; kept for some days) or all',
        }),
      ),
      after: T.Optional(
        T.String({ format: 'id', maxLength: 64, description: '`After` of the previous page' }),
      ),
      limit: T.Optional(
        T.String({
          maxLength: 4,
          pattern: '^\\d{1,4}$',
          description: `Page size, at most ${MAX_LIMIT}; 50 when absent`,
        }),
      ),
    }),
    response: T.Object({
      Scheduled: T.Array(View),
      After: T.String({ description: 'Pass it as `after` to get the next page; empty if there is none' }),
    }),
    async handle({ body, session, viewer }, deps) {
      const { state = 'waiting', after = '', limit = '50' } = body
      const size = Math.min(MAX_LIMIT, Number(limit) || 1)
      const last = after ? await deps.store.find(session.id, after) : undefined
      let from = last && (await sees(viewer, last)) ? after : ''
      const found: Scheduled[] = []
      for (;;) {
        const page = await deps.store.list(session.id, STATES[state], from, size)
        for (const one of page) if (found.length < size && (await sees(viewer, one))) found.push(one)
        from = page.at(-1)?.id ?? ''
        if (found.length === size || page.length < size) break
      }
      return { Scheduled: found.map(toView), After: found.length < size ? '' : (found.at(-1)?.id ?? '') }
    },
  }),
  r.delete('/schedule/:id', {
    leaves: [],
    summary: 'Cancel a scheduled message',
    description: 'Possible until it is due; a message being sent is not recalled.',
    access,
    isFiltered,
    errors: ['SCHEDULE_UNKNOWN', 'SCHEDULE_ENDED'],
    response: View,
    async handle({ session, params, viewer }, deps) {
      const id = params['id'] ?? ''
      const known = await deps.store.find(session.id, id)
      if (!known || !(await sees(viewer, known))) throw gatewayError('SCHEDULE_UNKNOWN')
      return toView(await deps.scheduler.cancel(session.id, id))
    },
  }),
]

function sees(viewer: Viewer, { session, chat }: Scheduled): Promise<boolean> {
  return viewer.seesChat(session, chat)
}

function toView({ id, chat, path, sendAt, state, text, error }: Scheduled) {
  const time = new Date(sendAt).toISOString()
  return { Id: id, Chat: chat, Route: path, SendAt: time, State: state, Text: text, Error: error }
}
