import { type ErrorCode, type GatewayError, type Reply, reply, T } from 'wamux/plugin'

interface GraphRow {
  readonly code: number
  readonly status: number
  /** Graph's error type. */
  readonly title: string
  readonly subcode?: number
}

const TOKEN: GraphRow = { code: 190, status: 401, title: 'Invalid OAuth access token' }
const PERMISSION: GraphRow = { code: 10, status: 403, title: 'Permission denied' }
const PARAMETER: GraphRow = { code: 100, status: 400, title: 'Invalid parameter' }
const OBJECT: GraphRow = { ...PARAMETER, title: 'Unsupported request', subcode: 33 }
const VALUE: GraphRow = { code: 131009, status: 400, title: 'Parameter value is not valid' }
const UPLOAD: GraphRow = { code: 131053, status: 400, title: 'Media upload error' }
const LIMIT: GraphRow = { code: 130429, status: 429, title: 'Rate limit hit' }
const UNAVAILABLE: GraphRow = { code: 131016, status: 503, title: 'Service unavailable' }
const INTERNAL: GraphRow = { code: 131000, status: 500, title: 'Something went wrong' }

/** Seconds to wait for transient errors of unknown duration. */
const RETRY_SECONDS = 2

/** Codes from Meta's list of Cloud API error codes. */
const ROWS: { readonly [K in ErrorCode]?: GraphRow } = {
  TOKEN_INVALID: TOKEN,
  ADMIN_INVALID: TOKEN,
  SCOPE_MISSING: PERMISSION,
  KEY_SESSION_FORBIDDEN: PERMISSION,
  KEY_SESSION_MISSING: PERMISSION,
  KEY_CHAT_MISSING: PERMISSION,
  KEY_CHAT_UNKNOWN: PERMISSION,
  KEY_CHAT_FORBIDDEN: { code: 131030, status: 400, title: 'Recipient phone number not in allowed list' },
  FIELD_MISSING: { code: 131008, status: 400, title: 'Required parameter is missing' },
  FIELD_INVALID: VALUE,
  PHONE_INVALID: VALUE,
  USERNAME_UNKNOWN: VALUE,
  MESSAGE_UNKNOWN: VALUE,
  ID_REUSED: VALUE,
  ITEM_UNKNOWN: OBJECT,
  SESSION_UNKNOWN: OBJECT,
  ROUTE_UNKNOWN: OBJECT,
  CLOUD_OBJECT_UNKNOWN: OBJECT,
  CLOUD_UNSUPPORTED: { code: 131051, status: 400, title: 'Unsupported message type' },
  CLOUD_TEMPLATE_UNKNOWN: {
    code: 132001,
    status: 404,
    title: 'Template name does not exist in the translation',
  },
  CLOUD_TEMPLATE_PARAMETERS: {
    code: 132000,
    status: 400,
    title: 'Number of parameters does not match the expected number of params',
  },
  CLOUD_MEDIA_FAILED: { code: 131052, status: 502, title: 'Media download error' },
  CLOUD_CALLBACK_FAILED: { code: 2200, status: 400, title: 'Callback verification failed' },
  NOT_ON_NETWORK: { code: 131026, status: 400, title: 'Message undeliverable' },
  NETWORK_FORBIDDEN: { code: 131047, status: 400, title: 'Re-engagement message' },
  TOKEN_MISSING: { code: 131047, status: 400, title: 'Re-engagement message' },
  ACCOUNT_RESTRICTED: { code: 131047, status: 400, title: 'Re-engagement message' },
  NOT_LOGGED_IN: { code: 133010, status: 400, title: 'Phone number not registered' },
  NO_CLIENT: UNAVAILABLE,
  SEND_VETOED: { code: 131005, status: 403, title: 'Access denied' },
  MEDIA_UNREACHABLE: UPLOAD,
  MEDIA_UNSUPPORTED: UPLOAD,
  BASE64_INVALID: UPLOAD,
  UPLOAD_FAILED: UPLOAD,
  NETWORK_LIMITED: LIMIT,
  QUEUE_FULL: LIMIT,
  NETWORK_UNAVAILABLE: UNAVAILABLE,
}

/** The Graph error for an error of the gateway, by its code or else its status. */
export function graphRowOf({ code, status }: Pick<GatewayError, 'code' | 'status'>): GraphRow {
  const known = ROWS[code]
  if (known) return known
  if (status === 401) return TOKEN
  if (status === 403) return PERMISSION
  if (status === 404) return OBJECT
  if (status === 429) return LIMIT
  // A conflict with something in progress, which is temporary.
  if (status === 409) return UNAVAILABLE
  if (status >= 500)
    return status === 503 || status === 504 ? { ...UNAVAILABLE, status } : { ...INTERNAL, status }
  return PARAMETER
}

/** An answer in the form of the Graph API. `trace`: id of the request. */
export function graphReply(error: GatewayError, trace: string): Reply {
  const { code, status, title, subcode } = graphRowOf(error)
  const details = [error.message, error.details].filter(Boolean).join(': ')
  const body = {
    error: {
      message: `(#${code}) ${title}`,
      type: 'OAuthException',
      code,
      ...(subcode ? { error_subcode: subcode } : {}),
      error_data: { messaging_product: 'whatsapp', details },
      fbtrace_id: trace,
    },
  }
  const seconds = error.retryAfter ?? (status === 503 ? RETRY_SECONDS : undefined)
  const wait = seconds === undefined ? {} : { 'retry-after': String(seconds) }
  return graphJson(body, wait, status)
}

export function graphJson(body: unknown, headers: Record<string, string> = {}, status = 200): Reply {
  return reply(
    JSON.stringify(body),
    { 'content-type': 'application/json; charset=utf-8', ...headers },
    status,
  )
}

/** An answer in Graph's form, sent without the gateway's envelope. */
export const Graph = (description: string) => T.Unknown({ contentMediaType: 'application/json', description })
