import {
  ALL_OWNED,
  asFunction,
  definePlugin,
  type GatewayServices,
  type Kernel,
  type Metric,
  type Ownership,
  systemViewer,
} from 'wamux/plugin'
import { createAnnouncer, QUEUE } from './announcer.ts'
import { ConfigSchema, type IssuesConfig } from './config.ts'
import type { Issue } from './contract.ts'
import { events, translate } from './events.ts'
import { createIssues, type Issues } from './issues.ts'
import { migrations } from './migrations.ts'
import { createOccurrences } from './occurrences.ts'
import { jobs } from './posts.ts'
import { routes } from './routes.ts'
import { createWatch, TASK } from './watch.ts'

/** Each process counts the sessions that it serves, and what has no session. */
const metrics = ({ issues }: { issues: Issues }) =>
  ({
    wamux_issues: {
      type: 'gauge',
      help: 'What needs a person now, as in GET /issues, by cause: number of sessions, or 1 for what has no session',
      collect: async () =>
        (await issues.list(systemViewer(), true)).map(({ cause, subject, level, sessions }) => ({
          labels: { cause, subject, level },
          value: sessions.length || 1,
        })),
    },
  }) satisfies Record<string, Metric>

interface Deps extends Pick<Kernel<IssuesConfig>, 'config'> {
  jobs?: GatewayServices['jobs'] | undefined
  ownership?: Ownership | undefined
}

/** A receiver that restarts fails fewer. */
const ATTEMPTS = 3

/** The operator's address, if it does not take what is posted to it: who relies on it would believe that all is well. */
function issuesOf({ config, jobs, ownership = ALL_OWNED }: Deps) {
  return {
    async list(): Promise<Issue[]> {
      if (!config.url || !ownership.owns(TASK)) return []
      const failing = await jobs?.failing(`issues.${QUEUE}`)
      if (!failing || failing.attempts < ATTEMPTS) return []
      const { error, since, waiting } = failing
      return [
        {
          cause: 'announcements-failing',
          level: 'error',
          subject: new URL(config.url).host,
          session: '',
          reason: error,
          remedy:
            'Start or correct the receiver of WAMUX_ISSUES_URL: what waits is then posted by itself, for about three days. After that, request it by `POST /server/jobs/issues.posts/dead-letters/retry`.',
          screen: '/health',
          since,
          waiting,
        },
      ]
    },
  }
}

export type { Issue, IssueSource } from './contract.ts'

/** What needs a person now, from all plugins, and announcements of it. */
export default definePlugin({
  name: 'issues',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  wants: ['httpClient', 'jobs', 'ownership', 'webhooks'],
  collects: ['issues'],
  migrations,
  services: () => ({
    issues: asFunction(createIssues).singleton(),
    occurrences: asFunction(createOccurrences).singleton(),
    announcer: asFunction(createAnnouncer).singleton(),
    watch: asFunction(createWatch)
      .singleton()
      .disposer((service) => service.stop()),
  }),
  routes,
  events,
  translate,
  contributes: { metrics, jobs, issues: issuesOf },
  async setup({ announcer, occurrences }) {
    announcer.check()
    await occurrences.reseal()
  },
  async ready({ watch }) {
    watch.start()
  },
})
