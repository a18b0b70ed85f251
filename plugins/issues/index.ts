import { asFunction, definePlugin } from 'wamux/plugin'
import { createIssues } from './issues.ts'
import { metrics } from './metrics.ts'
import { routes } from './routes.ts'

export type { Issue, IssueSource } from './contract.ts'

/** What needs a person now, from all plugins. */
export default definePlugin({
  name: 'issues',
  version: '0.1.0',
  api: '^3.0.0',
  collects: ['issues'],
  services: () => ({ issues: asFunction(createIssues).singleton() }),
  routes,
  contributes: { metrics },
})
