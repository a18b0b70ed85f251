import { child, textOf } from 'wamux/messaging'
import { type ErrorCode, gatewayError, type Socket } from 'wamux/plugin'

export type Data = Record<string, unknown>

/** A stored query of the network: its id, which changes occasionally with WhatsApp Web, and the name of its result. */
export interface MexQuery {
  readonly id: string
  readonly path: string
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'NETWORK_FORBIDDEN',
  403: 'NETWORK_FORBIDDEN',
  429: 'NETWORK_LIMITED',
}

/**
 * Runs a stored query. Rejects like `socket.query`; for a refusal in the answer NETWORK_FORBIDDEN (401, 403), NETWORK_UNKNOWN
 * (404), NETWORK_LIMITED (429) or NETWORK_FAILED.
 *
 * @param verb the action, for error texts.
 */
export async function mex(
  socket: Socket,
  { id, path }: MexQuery,
  variables: Data,
  verb: string,
): Promise<Data> {
  const content = Buffer.from(JSON.stringify({ variables }))
  const reply = await socket.query(
    {
      tag: 'iq',
      attrs: { xmlns: 'w:mex', type: 'get', to: 's.whatsapp.net' },
      content: [{ tag: 'query', attrs: { query_id: id }, content }],
    },
    verb,
  )
  const { data, errors } = read(textOf(child(reply, 'result')), verb)
  const found = data?.[path]
  if (found) return found
  const { message = 'no data', extensions: { error_code: code = 0 } = {} } = errors?.[0] ?? {}
  const said = code ? `${message} (${code})` : message
  if (code === 404) throw gatewayError('NETWORK_UNKNOWN', [verb, said])
  const known = CODES[code]
  throw known ? gatewayError(known, [said]) : gatewayError('NETWORK_FAILED', [verb, said])
}

interface MexAnswer {
  data?: Record<string, Data | null> | null
  errors?: { message?: string; extensions?: { error_code?: number } }[]
}

function read(answer: string, verb: string): MexAnswer {
  try {
    return JSON.parse(answer || '{}') as MexAnswer
  } catch (cause) {
    throw gatewayError('NETWORK_FAILED', [verb, 'the answer is unreadable'], { cause })
  }
}
