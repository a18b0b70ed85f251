import { type ErrorCode, type GatewayError, gatewayError, type Socket } from 'wamux/plugin'
import { ask } from './ask.ts'
import { child, textOf } from './stanza.ts'

/** A stored query of the network (MEX): its id, which changes occasionally with WhatsApp Web, and the name of its result. */
export interface MexQuery {
  readonly id: string
  readonly path: string
}

/** Why the network refuses a stored query: its code, 0 for none, and its words. */
export interface MexRefusal {
  readonly code: number
  readonly reason: string
}

/** The result, null or undefined if the network has none, or its refusal. */
export type MexAnswer = { readonly result: unknown } | { readonly refusal: MexRefusal }

/**
 * Asks a stored query. Rejects like `socket.query`, and NETWORK_FAILED for an unreadable answer. An answer with errors is a
 * refusal, whatever data it has: WhatsApp Web and the other clients take no partial results.
 *
 * @param verb the action, for error texts.
 */
export async function askMex(
  socket: Socket,
  { id, path }: MexQuery,
  variables: object,
  verb: string,
): Promise<MexAnswer> {
  const content = Buffer.from(JSON.stringify({ variables }))
  const query = { tag: 'query', attrs: { query_id: id }, content }
  const reply = await ask(socket, { xmlns: 'w:mex', content: query, verb })
  const { data, errors } = read(textOf(child(reply, 'result')), verb)
  const refusal = refusalOf(errors ?? [])
  return refusal ? { refusal } : { result: data?.[path] }
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'NETWORK_FORBIDDEN',
  403: 'NETWORK_FORBIDDEN',
  429: 'NETWORK_LIMITED',
}

/** NETWORK_FORBIDDEN (401, 403), NETWORK_UNKNOWN (404), NETWORK_LIMITED (429) or NETWORK_FAILED. */
export function toMexError({ code, reason }: MexRefusal, verb: string): GatewayError {
  const said = code ? `${reason} (${code})` : reason
  const known = CODES[code]
  if (known) return gatewayError(known, [said])
  return gatewayError(code === 404 ? 'NETWORK_UNKNOWN' : 'NETWORK_FAILED', [verb, said])
}

interface MexError {
  readonly message?: string
  readonly extensions?: { readonly error_code?: number; readonly is_summary?: boolean } | null
}

interface Content {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly MexError[] | null
}

/** The error that WhatsApp Web reports: the summary, or else the first with a code, or else the first. */
function refusalOf(errors: readonly MexError[]): MexRefusal | undefined {
  const error =
    errors.find(({ extensions }) => extensions?.is_summary) ??
    errors.find(({ extensions }) => extensions?.error_code) ??
    errors[0]
  if (!error) return undefined
  return { code: error.extensions?.error_code ?? 0, reason: error.message || 'no reason given' }
}

function read(answer: string, verb: string): Content {
  try {
    return JSON.parse(answer || '{}') as Content
  } catch (cause) {
    throw gatewayError('NETWORK_FAILED', [verb, 'the answer is unreadable'], { cause })
  }
}
