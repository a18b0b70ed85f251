import type { ErrorRow, GatewayErrors } from './types/errors.ts'

/**
 * The kernel's own errors: HTTP status, and text whose `%s` are filled in order. 4xx means that nothing was sent, 5xx that
 * something may have been. Plugins add theirs (`errors` of the contract) to the same table.
 */
const ERRORS = {
  BODY_UNREADABLE: [400, 'Could not decode Payload: %s'],
  FIELD_MISSING: [400, 'Missing %s in Payload'],
  FIELD_UNKNOWN: [400, 'Unknown field %s in Payload'],
  FIELD_INVALID: [400, 'Invalid %s: %s'],
  TARGET_INVALID: [
    400,
    'The request target must be a path that begins with exactly one "/" and has no "." or ".." segment',
  ],
  CLASS_UNKNOWN: [400, 'Unknown event class %s; known here: %s'],
  SESSION_AMBIGUOUS: [400, 'Several sessions are named "%s": give the id'],
  TOKEN_INVALID: [401, 'invalid token'],
  ADMIN_INVALID: [401, 'invalid admin token'],
  SCOPE_MISSING: [403, 'These credentials do not have the scope "%s", which %s requires'],
  TOKEN_HIDDEN: [403, 'Tokens of sessions are not for keys: %s'],
  ORIGIN_REFUSED: [403, 'Pages of %s may not connect here'],
  ROUTE_UNKNOWN: [404, 'Not found'],
  SESSION_UNKNOWN: [404, 'Session not found'],
  ITEM_UNKNOWN: [404, '%s not found'],
  METHOD_UNKNOWN: [405, 'Method not allowed'],
  NO_CLIENT: [409, 'No session'],
  NOT_LOGGED_IN: [409, 'not logged in'],
  ALREADY_LOGGED_IN: [409, 'Already Loggedin'],
  ALREADY_PAIRED: [409, 'Already paired'],
  SESSION_EXISTS: [409, 'Session already exists'],
  OTHER_NETWORK: [409, 'Session is linked on the network "%s" and can not be used on "%s"'],
  PASSKEY_REQUIRED: [409, 'PASSKEY_REQUIRED: the account asks for its passkey; answer that first'],
  BODY_TOO_LARGE: [413, 'Payload too large: at most %s bytes'],
  UPGRADE_REQUIRED: [426, 'This is a WebSocket: request it with "Upgrade: websocket"'],
  STREAMS_FULL: [429, 'Too many open streams: %s may have %s'],
  INTERNAL: [500, 'Internal error'],
  NETWORK_FAILED: [502, 'Failed to %s: %s'],
  NOT_OWNED: [503, 'Another process serves this session'],
  FENCED: [503, 'Another process has taken over this session; nothing was written'],
  STOPPING: [503, 'The gateway is stopping'],
  BUSY: [503, 'Too many large requests at once; try again shortly'],
  PLUGIN_UNAVAILABLE: [503, 'The plugin "%s" is not available: %s'],
  STORAGE_UNAVAILABLE: [503, 'The database does not answer; try again shortly'],
  STORAGE_FAILED: [507, 'Storage is full or failing: %s'],

  // Start-up errors: shown in the log and by the command line, never over HTTP.
  START_FAILED: [500, 'The gateway did not start:\n%s'],
  PLUGIN_INVALID: [500, '%s is not a wamux plugin: %s; update it, or remove it from "plugins"'],
  PLUGIN_DUPLICATE: [500, 'plugin "%s" is listed twice; remove one of them from "plugins"'],
  PLUGIN_NAME_TAKEN: [500, 'plugin "%s" would share its tables with %s; only one of them can be enabled'],
  PLUGIN_API: [
    500,
    'plugin "%s" was written for plugin API %s, this is %s; install the version of it that fits this wamux',
  ],
  PLUGIN_CONFIG: [500, 'configuration of plugin "%s": %s; correct it in the file or in WAMUX_%s_…'],
  PLUGIN_NEED_MISSING: [
    500,
    'plugin "%s" needs "%s", which no enabled plugin provides; add one that does to "plugins"',
  ],
  PLUGIN_NEED_FAILED: [500, 'plugin "%s" needs "%s", whose plugin did not start; fix that one first'],
  PLUGIN_SERVICE_TAKEN: [500, '"%s" is provided by both "%s" and "%s"; enable one of them'],
  PLUGIN_SERVICE_INVALID: [500, 'plugin "%s", service "%s": %s; its author must fix that'],
  PLUGIN_CYCLE: [500, 'circular dependency of plugins: %s; remove one of them from "plugins"'],
  PLUGIN_ROUTE_TAKEN: [500, '%s is registered by both "%s" and "%s"; enable one of them'],
  PLUGIN_ROUTE_INVALID: [500, 'plugin "%s", route %s: %s; its author must fix that'],
  PLUGIN_EVENT_TAKEN: [500, 'event "%s" is declared by both "%s" and "%s"; enable one of them'],
  PLUGIN_ERROR_TAKEN: [500, 'error "%s" is declared by both "%s" and "%s"; enable one of them'],
  PLUGIN_ERROR_INVALID: [500, 'plugin "%s", error "%s": %s; its author must fix that'],
  PLUGIN_TABLE: [
    500,
    'plugin "%s" created the table "%s"; its tables must begin with "%s_"; all changes were rolled back, and its author must fix that',
  ],
  PLUGIN_FAILED: [
    500,
    'plugin "%s" failed in %s: %s; fix it, remove it from "plugins", or make it "optional: true"',
  ],
  PLUGIN_TIMEOUT: [
    500,
    'plugin "%s" did not finish %s within %s s; fix it, remove it from "plugins", or make it "optional: true"',
  ],
  CONFIG_INVALID: [500, 'configuration: %s'],
  DATA_FOLDER: [500, 'the data folder %s can not be created: %s'],
  DATABASE_LOCKED: [
    500,
    'another wamux process already uses %s, and only one process may use a database, unless all of them run a plugin that shares it: stop that one, or configure another database for this one',
  ],
  DATABASE_POOLED: [
    500,
    'database %s is reached through a connection pooler in transaction mode (PgBouncer, for example): set DATABASE_DIRECT_URL to the address of the server itself as well, for the lock and notifications',
  ],
  DATABASE_FAILED: [500, 'database %s: %s'],
  SCHEMA_NEWER: [
    500,
    'the tables of "%s" are those of a newer version (%s): start that version or a later one',
  ],
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERRORS | (keyof GatewayErrors & string)

declare global {
  var wamuxErrors: Map<string, ErrorRow> | undefined
}

/**
 * One table for the process, not one for each gateway: errors are also thrown where there is no gateway. The rows of
 * plugins are added when a gateway is prepared. It is a global because a process can load this module twice: with a plugin
 * that has its own copy of wamux (config/second-copies.ts warns of it), and in tests, which mocha loads by `require` and the
 * gateway's plugins by `import`. Both copies must know all rows.
 */
globalThis.wamuxErrors ??= new Map<string, ErrorRow>(Object.entries(ERRORS))
const table = globalThis.wamuxErrors

/** All rows, those of plugins included. */
export function errorTable(): ReadonlyMap<string, ErrorRow> {
  return table
}

/** The kernel's rows without the start-up errors; among the rest only INTERNAL has status 500. */
export function answeredErrors(): Record<string, ErrorRow> {
  const rows = Object.entries(ERRORS)
  return Object.fromEntries(rows.filter(([code, [status]]) => status !== 500 || code === 'INTERNAL'))
}

/** Codes that no plugin may declare. */
const reserved = new Set<string>(Object.keys(ERRORS))

export function isReserved(code: string): boolean {
  return reserved.has(code)
}

/** Adds the rows of the package that the kernel is in. */
export function reserveErrors(rows: Readonly<Record<string, ErrorRow>>): void {
  addErrors(rows)
  for (const code of Object.keys(rows)) reserved.add(code)
}

/** Adds the rows of plugins, whose conflicts were checked before (wiring/errors.ts). */
export function addErrors(rows: Readonly<Record<string, ErrorRow>>): void {
  for (const [code, row] of Object.entries(rows)) table.set(code, row)
}

export interface GatewayError extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** More about the cause, safe to show to the client. */
  readonly details?: string
  /** Seconds until a retry makes sense. */
  readonly retryAfter?: number
}

export interface ErrorOptions {
  cause?: unknown
  details?: string
  retryAfter?: number
}

/** Most characters of a value or detail quoted in an error: a client may have sent any number. */
const MAX_SAID = 1_000

/** @param status 500 marks a start-up error, which is for the operator and shown in full. */
function said(value: unknown, status: number): string {
  const text = String(value)
  if (status === 500 || text.length <= MAX_SAID) return text
  // Avoids half a surrogate pair.
  return `${text.slice(0, MAX_SAID).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/**
 * An error from the table. Values from clients may have any length.
 *
 * @example throw gatewayError('FIELD_MISSING', ['Name'])
 */
export function gatewayError(
  code: ErrorCode,
  args: readonly unknown[] = [],
  options: ErrorOptions = {},
): GatewayError {
  // A code that no enabled plugin declares must not hide the reason of the error.
  const [status, template] = table.get(code) ?? [500, [code, ...args].join(' ')]
  let next = 0
  const message = template.replace(/%s/g, () => said(args[next++], status))
  const error = new Error(message, options.cause === undefined ? {} : { cause: options.cause })
  error.name = 'GatewayError'
  const { details, retryAfter } = options
  const more = details ? { details: said(details, status) } : {}
  return Object.assign(error, { code, status }, more, retryAfter && { retryAfter })
}

/** Compares by name, which works across two copies of the package. */
export function isGatewayError(error: unknown): error is GatewayError {
  return error instanceof Error && error.name === 'GatewayError' && 'code' in error
}

/** Whether another process has taken over the session: writes of this one are refused and left to the new owner. */
export function isFenced(error: unknown): boolean {
  return isGatewayError(error) && error.code === 'FENCED'
}

export type StorageError = GatewayError & { readonly code: 'STORAGE_FAILED' | 'STORAGE_UNAVAILABLE' }

/** Whether the storage failed rather than the statement: the same call may succeed later. */
export function isStorageError(error: unknown): error is StorageError {
  return isGatewayError(error) && (error.code === 'STORAGE_FAILED' || error.code === 'STORAGE_UNAVAILABLE')
}

/** The storage failure behind an error, however it has been wrapped. */
export function storageErrorIn(error: unknown): StorageError | undefined {
  if (isStorageError(error)) return error
  return error instanceof Error && error.cause !== undefined ? storageErrorIn(error.cause) : undefined
}

/** The message of any thrown value. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
