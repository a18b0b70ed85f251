/** A plugin of the test: a schedule that ticks each second, and a queue; appends what it does to the file WORKER_FILE. */
import { appendFileSync, existsSync } from 'node:fs'
import { definePlugin, T } from 'wamux/plugin'

const { WORKER_FILE: file = '', WAMUX_CLUSTER_NAME: node = '' } = process.env
const note = (done) => appendFileSync(file, `${JSON.stringify({ node, at: Date.now(), ...done })}\n`)

export default definePlugin({
  name: 'worker',
  version: '1.0.0',
  api: '^1.0.0',
  needs: ['jobs', 'sessionSettings'],
  contributes: {
    sessionSettings: () => ({
      title: 'Worker',
      schema: T.Object({ word: T.String({ default: '', description: 'A word' }) }),
    }),
    jobs: () => ({
      schedules: { tick: { cron: '* * * * * *', run: async () => note({ tick: true }) } },
      queues: {
        work: {
          attempts: 1_000,
          backoffSeconds: 0.1,
          async handle({ id, session }) {
            // As if it took long: the job is under way when the process is killed.
            if (existsSync(`${file}.held`)) throw new Error('not yet')
            note({ job: id, session })
          },
        },
      },
    }),
  },
  routes: (r) => [
    r.post('/worker/jobs', {
      summary: 'Add jobs',
      access: 'admin',
      body: T.Object({
        Ids: T.Array(T.String({ format: 'id' })),
        Session: T.Optional(T.String({ format: 'id' })),
      }),
      response: T.Object({}),
      async handle({ body }, { jobs }) {
        for (const id of body.Ids)
          await jobs.add('worker.work', { id, ...(body.Session ? { session: body.Session } : {}) })
        return {}
      },
    }),
  ],
})
