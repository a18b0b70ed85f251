import { asFunction, definePlugin } from 'wamux/plugin'
import { createAuditor } from './auditor.ts'
import { errors } from './errors.ts'
import { createGuard } from './guard.ts'
import { createAuditLog } from './log.ts'
import { migrations } from './migrations.ts'
import { createRetention } from './retention.ts'
import { routes } from './routes.ts'
import type { Audit } from './types.ts'

export type { Audit, AuditEntry, AuditRow, ChainCheck } from './types.ts'

declare module 'wamux/plugin' {
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
    retention: asFunction(createRetention).singleton(),
    guard: asFunction(createGuard).singleton(),
  }),
  routes,
  around: (call, next, { auditor, guard }) => auditor.run(call, () => guard.run(call, next)),
  setup: async ({ retention }) => retention.start(),
  close: async ({ retention }) => retention.stop(),
})
