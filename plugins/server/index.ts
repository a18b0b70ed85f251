import { asFunction, createInterval, definePlugin, type ExplainedErrorRow, type Log } from 'wamux/plugin'
import { healthChecks } from './checks.ts'
import { ConfigSchema } from './config.ts'
import { type ConsumerTasks, createConsumerTasks } from './consumer-tasks.ts'
import { createDeadLetters } from './dead-letters.ts'
import { createHealth, type Health } from './health.ts'
import { issuesOf } from './issues.ts'
import { migrations } from './migrations.ts'
import { createProbe } from './probe.ts'
import { routes } from './routes.ts'
import { consumerRoutes } from './routes-consumers.ts'
import { healthRoutes } from './routes-health.ts'

export type { CheckResult, Health } from './health.ts'

const errors = {
  NOT_READY: [
    503,
    'Not ready: %s',
    {
      meaning: 'The gateway is up but not ready.',
      cause: 'The database, a plugin or another part that the text names does not work at present.',
      remedy: 'Correct that part; meanwhile the load balancer should use other nodes.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Errors = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Errors {}
  interface GatewayServices {
    /** The checks declared by the plugins. */
    health: Health
  }
}

/** How long a task from another process waits for this one. */
const TASKS_MS = 15_000

/** Health, version, plugins and consumers of the gateway. */
export default definePlugin({
  name: 'server',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  wants: ['driver', 'ownership'],
  provides: ['health'],
  errors,
  migrations,
  services: () => ({
    probe: asFunction(createProbe).singleton(),
    health: asFunction(createHealth).singleton(),
    deadLetters: asFunction(createDeadLetters).singleton(),
    consumerTasks: asFunction(createConsumerTasks).singleton(),
    taskInterval: asFunction(createTaskInterval)
      .singleton()
      .disposer((service) => service.stop()),
  }),
  routes: (r) => [...routes(r), ...healthRoutes(r), ...consumerRoutes(r)],
  contributes: { healthChecks, issues: issuesOf },
  collects: ['healthChecks'],
  setup: async ({ taskInterval }) => taskInterval.start(),
})

function createTaskInterval({ consumerTasks, log }: { consumerTasks: ConsumerTasks; log: Log }) {
  return createInterval(TASKS_MS, consumerTasks.run, (error) =>
    log.error({ err: error }, 'reading consumer tasks failed'),
  )
}
