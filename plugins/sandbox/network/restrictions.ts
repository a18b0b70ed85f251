import { el, seconds } from '../stanza.ts'
import type { AccountState, Device } from './accounts.ts'
import type { NetworkState } from './state.ts'

/** What the network withholds from one account, or of it, because a fault says so. */
export interface Restrictions {
  /** Seconds since 1970 until which it may not write to people whom it has no chat with. */
  lockedUntil: number
  /** New chats that it may begin; undefined for as many as it likes. */
  newChats: { total: number; used: number } | undefined
  /** Its keys can't be fetched, as those of an account that is being deleted. */
  isKeyless: boolean
  /** Queries of this xmlns, or all of its companions', are refused, `left` more times. */
  refused: { xmlns: string | undefined; code: number; left: number } | undefined
}

export interface RestrictionOrder {
  Fault: string
  Ms?: number
  Code?: number
  Count?: number
  Xmlns?: string
}

const DAY_MS = 24 * 3_600_000

export function newRestrictions(): Restrictions {
  return { lockedUntil: 0, newChats: undefined, isKeyless: false, refused: undefined }
}

/** Sets what the fault says; false if it is none of these. */
export function restrict(state: NetworkState, account: AccountState, order: RestrictionOrder): boolean {
  const { restrictions } = account
  const { Fault, Ms = DAY_MS, Code = 500, Count, Xmlns } = order
  if (Fault === 'timelock') lock(state, account, seconds() + Math.ceil(Ms / 1000))
  else if (Fault === 'messageCap') restrictions.newChats = { total: Count ?? 1, used: 0 }
  else if (Fault === 'keyless') restrictions.isKeyless = true
  else if (Fault === 'refuseQuery')
    restrictions.refused = { xmlns: Xmlns, code: Code, left: Count ?? (Xmlns ? 1 : Number.POSITIVE_INFINITY) }
  else return false
  return true
}

export function lift(state: NetworkState, account: AccountState): void {
  if (account.restrictions.lockedUntil > 0) lock(state, account, 0)
  Object.assign(account.restrictions, newRestrictions())
}

/** The account's lock in the network's own words. */
export function timelockOf({ restrictions: { lockedUntil } }: AccountState): Record<string, unknown> {
  const isActive = lockedUntil > seconds()
  return {
    is_active: isActive,
    time_enforcement_ends: isActive ? String(lockedUntil) : '0',
    enforcement_type: 'DEFAULT',
  }
}

function lock({ delivery }: NetworkState, account: AccountState, until: number): void {
  account.restrictions.lockedUntil = until
  const data = { xwa2_notify_account_reachout_timelock: timelockOf(account) }
  const update = el(
    'update',
    { op_name: 'NotificationUserReachoutTimelockUpdate' },
    Buffer.from(JSON.stringify({ data })),
  )
  for (const device of account.devices.values()) delivery.notify(device, 'mex', [update])
}

/** The code that a message to somebody new is refused with; undefined for a chat that there is already. */
export function refusalOfStranger(sender: AccountState, target: AccountState): string | undefined {
  if (sender === target || sender.met.has(target)) return undefined
  const { lockedUntil, newChats } = sender.restrictions
  const isCapped = newChats !== undefined && newChats.used >= newChats.total
  return lockedUntil > seconds() || isCapped ? '463' : undefined
}

/** Both have a chat with each other from now on. */
export function meet(sender: AccountState, target: AccountState): void {
  if (sender === target) return
  const { newChats } = sender.restrictions
  if (newChats && !sender.met.has(target)) newChats.used += 1
  sender.met.add(target)
  target.met.add(sender)
}

/** The code that this query is refused with; undefined if it is not. */
export function refusalOfQuery({ account, id }: Device, xmlns: string): number | undefined {
  const { refused } = account.restrictions
  // Without a kind it is about the gateway: the account's phone goes on as before.
  const isMeant = refused && (refused.xmlns ? refused.xmlns === xmlns : id !== 0)
  if (!isMeant || refused.left <= 0) return undefined
  refused.left -= 1
  return refused.code
}
