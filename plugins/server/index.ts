import { asFunction, definePlugin } from 'wamux/plugin'
import { health as checks } from './checks.ts'
import { ConfigSchema } from './config.ts'
import { errors } from './errors.ts'
import { createHealth, type Health } from './health.ts'
import { migrations } from './migrations.ts'
import { createProbe } from './probe.ts'
import { routes } from './routes.ts'
import { healthRoutes } from './routes-health.ts'

export type { CheckResult, Health } from './health.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    /** The checks that the plugins declare. */
    health: Health
  }
}

/** Health, version and plugins of the gateway. */
export default definePlugin({
  name: 'server',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  wants: ['driver'],
  provides: ['health'],
  errors,
  migrations,
  services: () => ({
    probe: asFunction(createProbe).singleton(),
    health: asFunction(createHealth).singleton(),
  }),
  routes: (r) => [...routes(r), ...healthRoutes(r)],
  health: checks,
})
