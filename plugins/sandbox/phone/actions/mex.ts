import { gatewayError } from 'wamux/plugin'
import { child, el, text } from '../../stanza.ts'
import type { ActionParts } from './action.ts'

/** Runs a stored query of the network; resolves to its result at `path`. Rejects NETWORK_FORBIDDEN if it is refused. */
export async function mex(
  uplink: ActionParts['uplink'],
  id: string,
  variables: object,
  path: string,
): Promise<Record<string, unknown>> {
  const query = el('query', { query_id: id }, Buffer.from(JSON.stringify({ variables })))
  const reply = await uplink.query(el('iq', { xmlns: 'w:mex', type: 'get', to: 's.whatsapp.net' }, [query]))
  const { data, errors } = JSON.parse(text(child(reply, 'result'))) as {
    data: Record<string, Record<string, unknown>> | null
    errors?: { message: string }[]
  }
  const found = data?.[path]
  if (!found) throw gatewayError('NETWORK_FORBIDDEN', [errors?.[0]?.message ?? 'no answer'])
  return found
}
