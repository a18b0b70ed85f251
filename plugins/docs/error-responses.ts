import type { Access, Description, Route } from 'wamux/plugin'
import type { Json } from './components.ts'

type Errors = Description['errors']

interface Traits {
  access: Access
  hasInput: boolean
  hasBody: boolean
  isSend: boolean
  /** Asks the network something. */
  isRemote: boolean
}

/** The meaning of a status and the routes that answer with it; a route can name further codes in its `errors`. */
const STATUSES: Readonly<Record<string, readonly [text: string, applies: (traits: Traits) => boolean]>> = {
  400: ['The body or a field is invalid; nothing was sent', ({ hasInput }) => hasInput],
  401: ['The token is missing or invalid', ({ access }) => access !== 'public'],
  403: ['WhatsApp or a plugin refused, or the key does not allow it', ({ access }) => access !== 'public'],
  404: ['Not found', ({ hasInput }) => hasInput],
  409: ['The session is not in the required state', ({ access }) => access !== 'public'],
  410: ['No longer kept', () => false],
  413: ['Payload too large', ({ hasBody }) => hasBody],
  415: ['Unsupported media', ({ isRemote, hasBody }) => isRemote && hasBody],
  422: ['The id was used for another message', ({ isSend }) => isSend],
  429: [
    'Rate limited by WhatsApp, the queue is full, or too many wrong tokens from this address',
    ({ access }) => access !== 'public',
  ],
  500: ['A defect of the gateway; its log has the cause', () => true],
  502: ['WhatsApp answered with an error', ({ isRemote }) => isRemote],
  503: ['The gateway is stopping or busy; nothing was sent', () => true],
  504: ['WhatsApp did not answer in time; the outcome is unknown', ({ isRemote }) => isRemote],
  507: ['The disk or the database of the gateway is full or failing', () => true],
}

/** One response per status, with all its possible codes; operations refer to them. */
export function errorResponses(errors: Errors): Json {
  const all = Object.entries(errors)
  const responses = [...statusesOf(errors)].map((status) => {
    const rows = all.filter(([, row]) => row[0] === status)
    const lines = rows.map(([code, [, text]]) => `- \`${code}\`: ${text.replaceAll('%s', '…')}`)
    const codes = rows.map(([code]) => code)
    const response = {
      description: [`${STATUSES[status]?.[0] ?? 'Refused'}:`, '', ...lines].join('\n'),
      ...(status === 429 || status === 503 || status === 507 ? { headers: RETRY_AFTER } : {}),
      content: { 'application/json': { schema: failure(codes, status) } },
    }
    return [nameOf(status), response]
  })
  return Object.fromEntries(responses)
}

/** References to the responses that this route can have. */
export function errorsOf(
  { method, spec }: Route,
  { errors, isSend }: { errors: Errors; isSend: boolean },
): Json {
  const { access = 'login', body, errors: further = [] } = spec
  const traits = {
    access,
    isSend,
    hasInput: body !== undefined,
    hasBody: body !== undefined && method !== 'GET',
    isRemote: access === 'login',
  }
  const named = further.flatMap((code) => errors[code]?.[0] ?? [])
  const usual = [...statusesOf(errors)].filter((status) => STATUSES[status]?.[1](traits))
  const all = [...new Set([...usual, ...named])].sort((a, b) => a - b)
  return Object.fromEntries(
    all.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]),
  )
}

/** The envelope of an error, with its possible codes. */
export function failure(codes: readonly string[], status?: number): Json {
  return {
    type: 'object',
    required: ['code', 'error', 'errorCode', 'success'],
    properties: {
      code: status ? { const: status } : { type: 'integer', description: 'The HTTP status' },
      error: { type: 'string', description: 'For people; it may change' },
      errorCode: { type: 'string', enum: codes, description: 'For programs' },
      details: { type: 'string', description: 'More about the cause' },
      success: { const: false },
    },
  }
}

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds until a retry makes sense; may be absent',
    schema: { type: 'integer' },
  },
}

function statusesOf(errors: Errors): Set<number> {
  return new Set(Object.values(errors).map(([status]) => status))
}

function nameOf(status: number): string {
  return `Error${status}`
}
