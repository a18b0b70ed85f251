import { bytes, child, el, seconds } from '../../stanza.ts'
import { about } from '../directory/about.ts'
import type { Device } from '../directory/accounts.ts'
import { usernames } from '../directory/usernames.ts'
import { timelockOf } from '../faults/restrict.ts'
import { newsletterMex } from '../newsletters/iq-newsletters.ts'
import { type Refusal, refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import type { MexHandler, QueryHandler } from './query.ts'

const MONTH = 30 * 24 * 3600

/** Limits on starting new chats. */
const limits: Readonly<Record<string, MexHandler>> = {
  '23983697327930364': (_state, { account }) => ({
    xwa2_fetch_account_reachout_timelock: timelockOf(account),
  }),
  '24503548349331633': (_state, { account }) => {
    const { total = 0, used = 0 } = account.restrictions.newChats ?? {}
    const now = seconds()
    return {
      xwa2_message_capping_info: {
        total_quota: total,
        used_quota: used,
        cycle_start_timestamp: String(now - (now % MONTH)),
        cycle_end_timestamp: String(now - (now % MONTH) + MONTH),
        server_sent_timestamp: String(now),
        ote_status: 'NOT_ELIGIBLE',
        mv_status: 'NOT_ELIGIBLE',
        capping_status: total > 0 && used >= total ? 'CAPPED' : 'NONE',
      },
    }
  },
}

/** Handlers by query id (Baileys Types/Mex.js). Each domain adds its table here. */
const QUERIES: Readonly<Record<string, MexHandler>> = { ...about, ...limits, ...usernames }

export const mex: QueryHandler = (state, device, iq) => {
  const answered = newsletterMex(state, device, iq) ?? answer(state, device, child(iq, 'query'))
  const code = state.faults.mexError(device)
  const content = JSON.stringify(code ? { ...answered, errors: errorsOf(code) } : answered)
  return [el('result', {}, Buffer.from(content))]
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

/** The summary is the one that counts (WR wacore/src/iq/mex.rs). */
function errorsOf(code: string): object[] {
  const extensions = { error_code: Number(code), is_summary: true }
  return [{ message: 'a part is missing' }, { message: 'refused', extensions }]
}
