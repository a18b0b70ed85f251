import { asFunction, definePlugin, type ExplainedErrorRow } from 'wamux/plugin'
import { createAuditor } from './auditor.ts'
import { createGuard } from './guard.ts'
import { createAuditLog } from './log.ts'
import { migrations } from './migrations.ts'
import { createRetention } from './retention.ts'
import { routes } from './routes.ts'
import { createSharedCount } from './shared-count.ts'
import type { Audit } from './types.ts'

export type { Audit, AuditEntry, AuditRow, ChainCheck } from './types.ts'

const errors = {
  TOO_MANY_FAILURES: [
    429,
    'Too many wrong tokens from this address; try again in %s s',
    {
      meaning: 'Too many wrong tokens came from this address.',
      cause: 'A client repeats requests with an outdated token, or somebody guesses tokens.',
      remedy:
        'Correct the token and wait for `Retry-After` seconds; a valid token always passes. Behind a proxy set `WAMUX_TRUST_PROXY`.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Errors = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Errors {}
  interface GatewayServices {
    audit: Audit
  }
}

/** The audit log, and the rate limit for wrong tokens. */
export default definePlugin({
  name: 'audit',
  version: '0.1.0',
  api: '^1.0.0',
  errors,
  wants: ['ownership'],
  provides: ['audit'],
  migrations,
  services: () => ({
    audit: asFunction(createAuditLog).singleton(),
    auditor: asFunction(createAuditor).singleton(),
    retention: asFunction(createRetention)
      .singleton()
      .disposer((service) => service.stop()),
    sharedCount: asFunction(createSharedCount).singleton(),
    guard: asFunction(createGuard).singleton(),
  }),
  routes,
  contributes: {
    around:
      ({ auditor, guard }) =>
      (call, next) =>
        auditor.run(call, () => guard.run(call, next)),
  },
  setup: async ({ retention }) => retention.start(),
})
