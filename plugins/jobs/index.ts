import { asFunction, definePlugin } from 'wamux/plugin'
import { createJobStore } from './job-store.ts'
import { migrations } from './migrations.ts'
import { createQueues } from './queues.ts'
import { routes } from './routes.ts'
import { createSchedules } from './schedules.ts'

export type { Job, Jobs, JobsContribution, NewJob, Queue, Schedule } from './contract.ts'

/** Work of plugins by the clock, and durable job queues. */
export default definePlugin({
  name: 'jobs',
  version: '0.1.0',
  api: '^1.3.0',
  wants: ['ownership'],
  provides: ['jobs'],
  collects: ['jobs'],
  migrations,
  services: () => ({
    jobStore: asFunction(createJobStore).singleton(),
    jobs: asFunction(createQueues).singleton(),
    schedules: asFunction(createSchedules).singleton(),
  }),
  routes,
  async ready({ jobs, schedules }) {
    await schedules.start()
    jobs.start()
  },
  async close({ jobs, schedules }) {
    await schedules.stop()
    await jobs.stop()
  },
})
