import { el, seconds } from '../../stanza.ts'
import type { AccountState, Device } from '../directory/accounts.ts'
import { newRestrictions } from '../directory/restrictions.ts'
import { type Refusal, refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'

export function endTimelock(state: NetworkState, account: AccountState): void {
  if (account.restrictions.lockedUntil === 0) return
  account.restrictions.lockedUntil = 0
  announceTimelock(state, account)
}

export function liftRestrictions(state: NetworkState, account: AccountState): void {
  endTimelock(state, account)
  Object.assign(account.restrictions, newRestrictions())
}

/** The account's timelock in the format of the network. */
export function timelockOf({ restrictions: { lockedUntil } }: AccountState): Record<string, unknown> {
  const isActive = lockedUntil > seconds()
  return {
    is_active: isActive,
    time_enforcement_ends: isActive ? String(lockedUntil) : '0',
    enforcement_type: 'DEFAULT',
  }
}

/** Tells the account's devices of its timelock. */
export function announceTimelock({ delivery }: NetworkState, account: AccountState): void {
  const data = { xwa2_notify_account_reachout_timelock: timelockOf(account) }
  const update = el(
    'update',
    { op_name: 'NotificationUserReachoutTimelockUpdate' },
    Buffer.from(JSON.stringify({ data })),
  )
  for (const device of account.devices.values()) delivery.notify(device, 'mex', [update])
}

/** The error code for a message that starts a new chat, 463 or 475; undefined if the chat exists or may be started. */
export function refusalOfNewChat(sender: AccountState, target: AccountState): string | undefined {
  if (sender === target || sender.correspondents.has(target)) return undefined
  const { lockedUntil, newChats } = sender.restrictions
  if (lockedUntil > seconds()) return '463'
  return newChats !== undefined && newChats.used >= newChats.total ? '475' : undefined
}

/** Records that the two accounts have a chat. */
export function recordChat(sender: AccountState, target: AccountState): void {
  if (sender === target) return
  const { newChats } = sender.restrictions
  if (newChats && !sender.correspondents.has(target)) newChats.used += 1
  sender.correspondents.add(target)
  target.correspondents.add(sender)
  target.writers.add(sender)
}

/** The refusal of this query; undefined to accept it. */
export function refusalOfQuery({ account, id }: Device, xmlns: string): Refusal | undefined {
  const { refused } = account.restrictions
  // Without an xmlns the fault affects only companions; the account's phone keeps working.
  const applies = refused && (refused.xmlns ? refused.xmlns === xmlns : id !== 0)
  if (!applies || refused.left <= 0) return undefined
  refused.left -= 1
  return refusal(refused.code, 'refused', refused.backoff)
}
