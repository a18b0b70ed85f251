import { type GatewayError, gatewayError, reserveErrors } from '../kernel/errors.ts'
import type { ExplainedErrorRow, GatewayErrors } from '../kernel/types/errors.ts'

export { type GatewayError, gatewayError, isGatewayError, reasonOf } from '../kernel/errors.ts'

/**
 * Errors of the code around the kernel: the plugin list and the commands. They appear in the log and on the command line,
 * never over HTTP. Import `gatewayError` from here to throw one of them.
 */
export const errors = {
  PLUGIN_MISSING: [
    500,
    'plugin "%s" can not be loaded from %s: %s; install it there, correct the path, or remove it from "plugins" (built in: %s)',
    {
      meaning: 'A listed plugin can not be loaded.',
      cause: 'The path is wrong, the package is not installed, or the module failed while it was loaded.',
      remedy: 'Install it there, correct the path, or remove it from `plugins`.',
    },
  ],
  PACKAGE_MISSING: [
    500,
    'plugin "%s" is in the package %s, which is not installed: npm install %s',
    {
      meaning: 'A plugin of wamux is in a package of its own, which is not installed.',
      cause: 'Plugins with large dependencies are installed separately.',
      remedy: "Run this command in the gateway's folder.",
    },
  ],
  PLUGIN_PURGE: [
    500,
    'plugin "%s" could not be purged, and nothing was changed: %s',
    {
      meaning: 'The data of a plugin could not be deleted.',
      cause: 'The text has the answer of the database; the deletion was rolled back.',
      remedy: 'Correct the cause and run the command again.',
    },
  ],
  COMMAND_FAILED: [
    500,
    '%s',
    {
      meaning: 'A command of the command line failed.',
      cause: 'The text names the cause.',
      remedy: 'Correct it and run the command again; `wamux --help` lists commands and options.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Rows = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Rows {}
}

/** Every row of a built-in plugin has help too, whatever type the plugin checks it with; the compiler names one without. */
type Unexplained = {
  [C in keyof GatewayErrors]: GatewayErrors[C] extends ExplainedErrorRow ? never : C
}[keyof GatewayErrors]
true satisfies [Unexplained] extends [never] ? true : Unexplained

reserveErrors(errors)

/** The end of a command, for a reason that its user reads. */
export function commandFailed(reason: string, cause?: unknown): GatewayError {
  return gatewayError('COMMAND_FAILED', [reason], { cause })
}
