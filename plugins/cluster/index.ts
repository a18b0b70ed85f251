import { hostname } from 'node:os'
import { asFunction, definePlugin } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { errors } from './errors.ts'
import { issuesOf } from './issues.ts'
import { migrations } from './migrations.ts'
import { type ClusterNode, createClusterNode } from './node.ts'
import { healthChecks, metrics } from './observe.ts'
import { routes } from './routes.ts'

/** Several processes on one PostgreSQL: each session is served by one of them, and any of them answers any request. */
export default definePlugin({
  name: 'cluster',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  errors,
  wants: ['driver'],
  provides: ['ownership'],
  shares: ({ name = hostname(), leaseMs }) => ({ node: name, leaseMs }),
  migrations,
  services: () => ({
    node: asFunction(createClusterNode)
      .singleton()
      .disposer((service) => service.close()),
    ownership: asFunction(({ node }: { node: ClusterNode }) => node.ownership).singleton(),
  }),
  routes,
  contributes: {
    metrics,
    healthChecks,
    issues: issuesOf,
    around:
      ({ node }) =>
      (call, next) =>
        node.router.run(call, next),
  },
  setup: ({ node }) => node.start(),
})
