import { gatewayError, pageOf, type RouteBuilder, T } from 'wamux/plugin'
import type { JobStore } from './job-store.ts'
import type { Queues } from './queues.ts'
import type { Schedules } from './schedules.ts'

interface Deps {
  jobs: Queues
  jobStore: JobStore
  schedules: Schedules
}

const MAX_DEAD = 1_000
const access = 'admin'
const Ids = T.Object({
  Ids: T.Optional(
    T.Array(T.String({ minLength: 1, format: 'id' }), {
      description: 'Ids of the dead letters; all when absent',
      maxItems: MAX_DEAD,
    }),
  ),
})

/** Queues and schedules of the plugins, for operators. */
export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/server/jobs', {
    summary: 'List the job queues and schedules of the plugins',
    description: 'Jobs stay listed until they have run; schedules show the plans of this process.',
    access,
    response: T.Object({
      Queues: T.Array(
        T.Object({
          Name: T.String({ description: '`<plugin>.<queue>`' }),
          Waiting: T.Integer(),
          DeadLetters: T.Integer({
            description: 'Number of jobs that have failed as often as their queue allows',
          }),
        }),
      ),
      Schedules: T.Array(
        T.Object({
          Name: T.String({ description: '`<plugin>.<schedule>`' }),
          Next: T.String({
            description: 'Time of the next run, as planned by this process; empty for never',
          }),
          LastEnd: T.String({ description: 'End of the last run; empty before the first' }),
          Error: T.String({ description: 'Why the last run failed; empty if it succeeded' }),
        }),
      ),
    }),
    async handle(_, { jobs, jobStore, schedules }) {
      const counts = await jobStore.counts()
      const states = await schedules.states()
      return {
        Queues: [...jobs.known.keys()].map((Name) => {
          const { waiting = 0, dead = 0 } = counts.get(Name) ?? {}
          return { Name, Waiting: waiting, DeadLetters: dead }
        }),
        Schedules: states.map(({ name, next, lastEnd, error }) => ({
          Name: name,
          Next: timeOf(next),
          LastEnd: timeOf(lastEnd),
          Error: error,
        })),
      }
    },
  }),
  r.get('/server/jobs/:queue/dead-letters', {
    summary: 'List the jobs that have failed as often as their queue allows, oldest first',
    description: 'They stay until they are handled again or removed. A page has at most 1000 and a megabyte.',
    access,
    body: T.Object({
      after: T.Optional(T.String({ format: 'id', description: '`After` of the previous page' })),
    }),
    errors: ['ITEM_UNKNOWN'],
    response: T.Object({
      DeadLetters: T.Array(
        T.Object({
          Id: T.String(),
          Session: T.String({ description: 'Empty for none' }),
          Attempts: T.Integer(),
          Error: T.String(),
          Time: T.String(),
        }),
      ),
      After: T.String({ description: 'Pass it as `after` to get the next page; empty if there is none' }),
    }),
    async handle({ body, params }, { jobs, jobStore }) {
      const dead = await jobStore.dead(nameOf(jobs, params), MAX_DEAD, body.after)
      const page = pageOf(dead, ({ id, session, attempt, error, runAt }) => ({
        Id: id,
        Session: session,
        Attempts: attempt - 1,
        Error: error,
        Time: timeOf(runAt),
      }))
      const isLast = !page.isCut && dead.length < MAX_DEAD
      return { DeadLetters: page.items, After: isLast ? '' : (page.cursor?.id ?? '') }
    },
  }),
  r.post('/server/jobs/:queue/dead-letters/retry', {
    leaves: [],
    summary: 'Requeue dead letters of a queue',
    access,
    audit: 'jobs.retry',
    example: { Ids: ['evt_01JABCDEFGHJKMNPQRSTVWXYZ0'] },
    errors: ['ITEM_UNKNOWN'],
    description: 'All of them, or those in `Ids`; each gets its full number of attempts again.',
    body: Ids,
    response: T.Object({ Retried: T.Integer() }),
    async handle({ body, params }, { jobs, jobStore }) {
      const Retried = await jobStore.requeue(nameOf(jobs, params), body.Ids)
      jobs.wake()
      return { Retried }
    },
  }),
  r.post('/server/jobs/:queue/dead-letters/drop', {
    leaves: [],
    isDestructive: true,
    summary: 'Remove dead letters of a queue',
    access,
    audit: 'jobs.drop',
    example: { Ids: ['evt_01JABCDEFGHJKMNPQRSTVWXYZ0'] },
    errors: ['ITEM_UNKNOWN'],
    description: 'All of them, or those in `Ids`.',
    body: Ids,
    response: T.Object({ Dropped: T.Integer() }),
    handle: async ({ body, params }, { jobs, jobStore }) => ({
      Dropped: await jobStore.drop(nameOf(jobs, params), body.Ids),
    }),
  }),
]

function nameOf(jobs: Queues, { queue = '' }: Readonly<Record<string, string>>): string {
  if (!jobs.known.has(queue)) throw gatewayError('ITEM_UNKNOWN', ['Queue'])
  return queue
}

function timeOf(ms: number): string {
  return ms > 0 && ms < Number.MAX_SAFE_INTEGER ? new Date(ms).toISOString() : ''
}
