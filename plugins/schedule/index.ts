import { asFunction, definePlugin, gatewayError, reply } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { ATTEMPTS, ownHeader, sendDue } from './due.ts'
import { errors } from './errors.ts'
import { events, ofChange } from './events.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'
import { createStore, OPEN, type Scheduled, type Store } from './store.ts'

const DAY_MS = 86_400_000

/** Scheduled messages: `SendAt` on every send. */
export default definePlugin({
  name: 'schedule',
  version: '0.1.0',
  api: '^1.0.0',
  scope: 'send',
  config: ConfigSchema,
  needs: ['jobs', 'sender'],
  wants: ['ownership'],
  errors,
  migrations,
  services: () => ({
    store: asFunction(createStore).singleton(),
    scheduler: asFunction(createScheduler).singleton(),
  }),
  decorates: {
    sender: (next, deps) => ({
      ...next,
      async send(path, request, content, extras) {
        const { scheduler, store } = deps as unknown as { scheduler: Scheduler; store: Store }
        const { session, body } = request
        if (body.SendAt)
          return answerOf(await scheduler.schedule(next, path, request, content, extras as never))
        if (body.Id && request.header !== ownHeader) {
          const known = await store.find(session.id, body.Id)
          if (known && OPEN.includes(known.state)) throw gatewayError('ID_REUSED', [body.Id])
        }
        return next.send(path, request, content, extras)
      },
    }),
  },
  routes,
  events,
  translate: { 'schedule.changed': ofChange },
  unreadable: { 'schedule.changed': 'Schedule' },
  contributes: {
    jobs: (deps) => ({
      queues: {
        due: {
          attempts: ATTEMPTS,
          concurrency: 8,
          // They are sent one after the other, and uploading a file may take long.
          concurrencyPerSession: 1,
          handle: (job) => sendDue(job, deps),
        },
      },
      schedules: {
        pruning: {
          cron: '17 3 * * *',
          run: () => deps.store.prune(Math.floor(Date.now() - deps.config.keepDays * DAY_MS)),
        },
      },
    }),
  },
})

function answerOf({ scheduled, isReplay }: { scheduled: Scheduled; isReplay: boolean }) {
  const { id, chat, sendAt } = scheduled
  const data = { Details: 'Scheduled', Id: id, Chat: chat, SendAt: new Date(sendAt).toISOString() }
  return reply(
    JSON.stringify({ code: 202, data, success: true }),
    {
      'Content-Type': 'application/json; charset=utf-8',
      ...(isReplay ? { 'Idempotent-Replay': 'true' } : {}),
    },
    202,
  )
}
