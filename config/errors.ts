import { reserveErrors } from '../kernel/errors.ts'
import type { ErrorRow } from '../kernel/types/errors.ts'

export { type GatewayError, gatewayError, isGatewayError, reasonOf } from '../kernel/errors.ts'

/**
 * Errors of what is around the kernel: engines, the list of plugins, commands. They are shown in the log and by the command
 * line, never over HTTP. Import `gatewayError` from here to throw one of them.
 */
export const errors = {
  PLUGIN_MISSING: [
    500,
    'plugin "%s" can not be loaded from %s: %s; install it there, correct the path, or remove it from "plugins" (built in: %s)',
  ],
  PLUGIN_PURGE: [500, 'plugin "%s" could not be purged, and nothing was changed: %s'],
  COMMAND_FAILED: [500, '%s'],
  DATABASE_LOCKED: [
    500,
    'another wamux process already uses %s, and only one process may use a database, unless all of them run a plugin that shares it: stop that one, or configure another database for this one',
  ],
  DATABASE_POOLED: [
    500,
    'database %s is reached through a connection pooler in transaction mode, such as PgBouncer: set DATABASE_DIRECT_URL to the address of the server itself as well, for the lock and notifications',
  ],
  DATABASE_FAILED: [500, 'database %s: %s'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}

reserveErrors(errors)
