import { seconds } from '../../stanza.ts'
import { timelockOf } from '../faults/restrict.ts'
import type { MexQuery } from './query.ts'

const MONTH = 30 * 24 * 3600

/** Limits on starting new chats. */
export const limits: Readonly<Record<string, MexQuery>> = {
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
