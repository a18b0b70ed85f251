import { asFunction, definePlugin } from 'wamux/plugin'
import { createJobStore } from './job-store.ts'
import { migrations } from './migrations.ts'
import { createQueues } from './queues.ts'
import { routes } from './routes.ts'
import { createSchedules } from './schedules.ts'

export type {
  FailingJob,
  Job,
  Jobs,
  JobsContribution,
  NewJob,
  Postponed,
  Queue,
  Schedule,
} from './contract.ts'

/** Scheduled work of plugins, and durable job queues. */
export default definePlugin({
  name: 'jobs',
  version: '0.1.0',
  api: '^1.0.0',
  wants: ['ownership'],
  provides: ['jobs'],
  collects: ['jobs'],
  migrations,
  services: () => ({
    jobStore: asFunction(createJobStore).singleton(),
    jobs: asFunction(createQueues)
      .singleton()
      .disposer((service) => service.stop()),
    schedules: asFunction(createSchedules)
      .singleton()
      .disposer((service) => service.stop()),
  }),
  routes,
  async ready({ jobs, schedules }) {
    await schedules.start()
    jobs.start()
  },
})
