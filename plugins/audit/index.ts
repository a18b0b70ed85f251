import {
  ALL_OWNED,
  asFunction,
  createInterval,
  definePlugin,
  type ExplainedErrorRow,
  type Interval,
  type Log,
  type Ownership,
} from 'wamux/plugin'
import { createAuditor } from './auditor.ts'
import { createGuard } from './guard.ts'
import { type AuditLog, createAuditLog } from './log.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { createSharedCount, type SharedCount } from './shared-count.ts'
import type { Audit } from './types.ts'

const DAY_MS = 24 * 3_600_000
const KEEP_DAYS = 90

/** One process runs it for all. */
const TASK = '(audit retention)'

interface Deps {
  audit: AuditLog
  sharedCount: SharedCount
  log: Log
  ownership?: Ownership | undefined
}

/** Deletes old rows at start and once a day. */
function createRetention({ audit, sharedCount, log, ownership = ALL_OWNED }: Deps): Interval {
  return createInterval(
    DAY_MS,
    async () => {
      if (!ownership.owns(TASK)) return
      await audit.prune(new Date(Date.now() - KEEP_DAYS * DAY_MS))
      await sharedCount.prune()
    },
    (error) => log.error({ err: error }, 'deleting old rows of the audit log failed'),
  )
}

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
