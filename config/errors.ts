import { reserveErrors } from '../kernel/errors.ts'
import type { ErrorRow } from '../kernel/types/errors.ts'

export { type GatewayError, gatewayError, isGatewayError, reasonOf } from '../kernel/errors.ts'

/**
 * Errors of the code around the kernel: the plugin list and the commands. They appear in the log and on the command line,
 * never over HTTP. Import `gatewayError` from here to throw one of them.
 */
export const errors = {
  PLUGIN_MISSING: [
    500,
    'plugin "%s" can not be loaded from %s: %s; install it there, correct the path, or remove it from "plugins" (built in: %s)',
  ],
  PACKAGE_MISSING: [500, 'plugin "%s" is in the package %s, which is not installed: npm install %s'],
  PLUGIN_PURGE: [500, 'plugin "%s" could not be purged, and nothing was changed: %s'],
  COMMAND_FAILED: [500, '%s'],
} as const satisfies Record<string, ErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}

reserveErrors(errors)
