import { bytes, child, el } from '../../stanza.ts'
import type { Device } from '../directory/accounts.ts'
import { usernames } from '../directory/usernames.ts'
import { newsletterMex } from '../newsletters/iq-newsletters.ts'
import { type Refusal, refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { limits } from './limits.ts'
import type { MexQuery, Query } from './query.ts'

/** Handlers by query id (Baileys Types/Mex.js). Each domain adds its table here. */
const QUERIES: Readonly<Record<string, MexQuery>> = { ...limits, ...usernames }

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
