import { bytes, child, el } from '../../stanza.ts'
import type { Device } from '../accounts.ts'
import type { Refusal } from '../refusal.ts'
import { refusal } from '../refusal.ts'
import type { Query } from '../router.ts'
import type { NetworkState } from '../state.ts'
import { limits } from './limits.ts'
import { newsletterMex } from './newsletters.ts'

/** Answers one query by number: the `data` of its answer. Throws `refusal(code, text)`. */
export type MexQuery = (
  state: NetworkState,
  device: Device,
  variables: Record<string, unknown>,
) => Record<string, unknown>

/** By number (Baileys Types/Mex.js). A domain adds its table here. */
const QUERIES: Readonly<Record<string, MexQuery>> = { ...limits }

export const mex: Query = (state, device, iq) => {
  const query = child(iq, 'query')
  return [
    el(
      'result',
      {},
      Buffer.from(JSON.stringify(newsletterMex(state, device, iq) ?? answer(state, device, query))),
    ),
  ]
}

function answer(state: NetworkState, device: Device, query: Parameters<typeof bytes>[0]): object {
  const id = query?.attrs['query_id'] ?? ''
  try {
    const run = QUERIES[id]
    if (!run) throw refusal(404, `unknown query ${id}`)
    const { variables = {} } = JSON.parse(bytes(query).toString() || '{}') as {
      variables?: Record<string, unknown>
    }
    return { data: run(state, device, variables) }
  } catch (error) {
    const { stanzaCode = 500, message } = error as Partial<Refusal>
    return { data: null, errors: [{ message, extensions: { error_code: stanzaCode } }] }
  }
}
