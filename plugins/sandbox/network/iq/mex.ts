import { child, el } from '../../stanza.ts'
import type { Query } from '../router.ts'

/** Queries by number (Baileys Types/Mex.js). Here: what an account may still send. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  '23983697327930364': {
    xwa2_fetch_account_reachout_timelock: {
      is_active: false,
      time_enforcement_ends: '0',
      enforcement_type: 'DEFAULT',
    },
  },
  '24503548349331633': {
    xwa2_message_capping_info: {
      total_quota: 0,
      used_quota: 0,
      cycle_start_timestamp: '0',
      cycle_end_timestamp: '0',
      server_sent_timestamp: '0',
      ote_status: 'NOT_ELIGIBLE',
      mv_status: 'NOT_ELIGIBLE',
      capping_status: 'NONE',
    },
  },
}

export const limits: Query = (_state, _device, iq) => {
  const id = child(iq, 'query')?.attrs['query_id'] ?? ''
  const data = ANSWERS[id]
  const answer = data
    ? { data }
    : { data: null, errors: [{ message: `unknown query ${id}`, extensions: { error_code: 404 } }] }
  return [el('result', {}, Buffer.from(JSON.stringify(answer)))]
}
