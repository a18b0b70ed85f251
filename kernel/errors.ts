/**
 * Every error that a client or an operator can see: HTTP status and text, `%s` filled in order.
 * 4xx means that nothing was sent; 5xx that something may have been.
 */
export const ERRORS = {
  BODY_UNREADABLE: [400, 'Could not decode Payload: %s'],
  FIELD_MISSING: [400, 'Missing %s in Payload'],
  FIELD_UNKNOWN: [400, 'Unknown field %s in Payload'],
  FIELD_INVALID: [400, 'Invalid %s: %s'],
  PHONE_INVALID: [400, 'Could not parse Phone: %s'],
  GROUP_INVALID: [400, 'Could not parse Group JID: %s'],
  BASE64_INVALID: [400, 'Could not decode base64 encoded data from payload: %s'],
  MEDIA_UNREACHABLE: [400, 'Could not fetch %s: %s'],
  CLASS_UNKNOWN: [400, 'Unknown event class %s in Subscribe; known here: %s'],
  TOKEN_INVALID: [401, 'invalid token'],
  ADMIN_INVALID: [401, 'invalid admin token'],
  NETWORK_FORBIDDEN: [403, 'WhatsApp refused: %s'],
  ROUTE_UNKNOWN: [404, 'Not found'],
  SESSION_UNKNOWN: [404, 'Session not found'],
  MESSAGE_UNKNOWN: [404, 'Message not found'],
  NOT_ON_NETWORK: [404, '%s is not on WhatsApp'],
  ITEM_UNKNOWN: [404, '%s not found'],
  METHOD_UNKNOWN: [405, 'Method not allowed'],
  NO_CLIENT: [409, 'No session'],
  NOT_LOGGED_IN: [409, 'not logged in'],
  ALREADY_LOGGED_IN: [409, 'Already Loggedin'],
  ALREADY_PAIRED: [409, 'Already paired'],
  SESSION_EXISTS: [409, 'Session already exists'],
  OTHER_NETWORK: [409, 'Session is linked on the network "%s" and can not be used on "%s"'],
  SEND_RUNNING: [409, 'A send with Id %s is still running'],
  PASSKEY_REQUIRED: [
    409,
    'PASSKEY_REQUIRED: this account asks for a passkey, which a linked gateway can not answer',
  ],
  BODY_TOO_LARGE: [413, 'Payload too large'],
  MEDIA_UNSUPPORTED: [415, 'Unsupported media in %s: %s'],
  ID_REUSED: [422, 'Id %s was already used for another message'],
  NETWORK_LIMITED: [429, 'Rate limited by WhatsApp'],
  INTERNAL: [500, 'Internal error'],
  SEND_FAILED: [502, 'Error sending message: %s'],
  UPLOAD_FAILED: [502, 'Failed to upload file: %s'],
  NETWORK_FAILED: [502, 'Failed to %s: %s'],
  STOPPING: [503, 'The gateway is stopping'],
  BUSY: [503, 'Too many large requests at once; try again shortly'],
  PLUGIN_UNAVAILABLE: [503, 'The plugin "%s" is not available: %s'],
  NETWORK_SILENT: [504, 'WhatsApp did not answer in time'],

  // Start-up errors: shown in the log and by the command line, never over HTTP.
  START_FAILED: [500, 'The gateway did not start:\n%s'],
  PLUGIN_INVALID: [500, '%s is not a wamux plugin: %s'],
  PLUGIN_DUPLICATE: [500, 'plugin "%s" is listed twice'],
  PLUGIN_API: [500, 'plugin "%s" was written for plugin API %s, this is %s'],
  PLUGIN_CONFIG: [500, 'configuration of plugin "%s": %s'],
  PLUGIN_NEED_MISSING: [500, 'plugin "%s" needs "%s", which no enabled plugin provides'],
  PLUGIN_SERVICE_TAKEN: [500, '"%s" is provided by both "%s" and "%s"; enable one of them'],
  PLUGIN_CYCLE: [500, 'plugins need each other in a circle: %s'],
  PLUGIN_ROUTE_TAKEN: [500, '%s is registered by both "%s" and "%s"'],
  PLUGIN_ROUTE_INVALID: [500, 'plugin "%s", route %s: %s'],
  PLUGIN_EVENT_TAKEN: [500, 'event "%s" is declared by both "%s" and "%s"'],
  PLUGIN_TABLE: [500, 'plugin "%s" made the table "%s"; its tables must begin with "%s_"'],
  PLUGIN_FAILED: [500, 'plugin "%s" failed in %s: %s'],
  PLUGIN_TIMEOUT: [500, 'plugin "%s" did not finish %s within %s s'],
  CONFIG_INVALID: [500, 'configuration: %s'],
  DATABASE_LOCKED: [
    500,
    'another wamux process already uses %s; SQLite allows exactly one. Stop it, or set DATABASE_URL to PostgreSQL',
  ],
  DATABASE_FAILED: [500, 'database %s: %s'],
} as const satisfies Record<string, readonly [number, string]>

export type ErrorCode = keyof typeof ERRORS

export interface GatewayError extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** More for the reader, safe to show. */
  readonly details?: string
}

export interface ErrorOptions {
  cause?: unknown
  details?: string
}

/**
 * An error from the table.
 *
 * @example throw gatewayError('FIELD_MISSING', ['Phone'])
 */
export function gatewayError(
  code: ErrorCode,
  args: readonly unknown[] = [],
  options: ErrorOptions = {},
): GatewayError {
  const [status, template] = ERRORS[code]
  let next = 0
  const message = template.replace(/%s/g, () => String(args[next++]))
  const error = new Error(message, options.cause === undefined ? {} : { cause: options.cause })
  error.name = 'GatewayError'
  return Object.assign(error, { code, status, ...(options.details ? { details: options.details } : {}) })
}

/** Checks by name, so that it holds across two copies of the package. */
export function isGatewayError(error: unknown): error is GatewayError {
  return error instanceof Error && error.name === 'GatewayError' && 'code' in error
}

/** The words of anything that was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
