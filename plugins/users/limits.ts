import type { Socket } from 'wamux/plugin'
import { type Data, mex } from './mex.ts'

const TIMELOCK = { id: '23983697327930364', path: 'xwa2_fetch_account_reachout_timelock' }
const CAP = { id: '24503548349331633', path: 'xwa2_message_capping_info' }

/** Two separate queries: the network may answer one and refuse the other. */
export async function limitsOf(socket: Socket) {
  const [cap, lock] = await Promise.allSettled([
    mex(socket, CAP, { input: { type: 'INDIVIDUAL_NEW_CHAT_MSG' } }, 'read the limits'),
    mex(socket, TIMELOCK, {}, 'read the limits'),
  ])
  if (cap.status === 'rejected' && lock.status === 'rejected') throw cap.reason
  return {
    MessageCap: cap.status === 'fulfilled' ? toCap(cap.value) : null,
    ReachoutTimelock: lock.status === 'fulfilled' ? toTimelock(lock.value) : null,
  }
}

function toCap(cap: Data) {
  return {
    TotalQuota: Number(cap['total_quota'] ?? 0),
    UsedQuota: Number(cap['used_quota'] ?? 0),
    CycleStartTimestamp: toTime(cap['cycle_start_timestamp']),
    CycleEndTimestamp: toTime(cap['cycle_end_timestamp']),
    ServerSentTimestamp: toTime(cap['server_sent_timestamp']),
    OteStatus: String(cap['ote_status'] ?? ''),
    MvStatus: String(cap['mv_status'] ?? ''),
    CappingStatus: String(cap['capping_status'] ?? ''),
  }
}

export function toTimelock(lock: Data) {
  return {
    IsActive: lock['is_active'] === true,
    EnforcementType: String(lock['enforcement_type'] ?? ''),
    TimeEnforcementEnds: toTime(lock['time_enforcement_ends']),
  }
}

/** Seconds since 1970, as text; 0 for never. */
function toTime(seconds: unknown): string | null {
  const time = Number(seconds ?? 0)
  return time > 0 ? new Date(time * 1000).toISOString() : null
}
