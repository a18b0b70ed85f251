import { asFunction, definePlugin } from 'wamux/plugin'
import { issuesOf } from './address.ts'
import { createAnnouncer } from './announcer.ts'
import { ConfigSchema } from './config.ts'
import { events, translate } from './events.ts'
import { createIssues } from './issues.ts'
import { metrics } from './metrics.ts'
import { migrations } from './migrations.ts'
import { createOccurrences } from './occurrences.ts'
import { jobs } from './posts.ts'
import { routes } from './routes.ts'
import { createWatch } from './watch.ts'

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
