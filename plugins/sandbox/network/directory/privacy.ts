import type { AccountState } from './accounts.ts'

/** What privacy settings protect: `profile` (picture), `status` (about), `last`, `online`, `groupadd` (adding to groups). */
export type Visibility = 'profile' | 'status' | 'last' | 'online' | 'groupadd'

/**
 * Whether `viewer` may see `what` of `owner`. Blocked accounts may see nothing.
 *
 * @param isTrusted the query has a valid token of `owner`, which grants the access of a contact.
 */
export function maySee(
  owner: AccountState,
  viewer: AccountState,
  what: Visibility,
  isTrusted = false,
): boolean {
  if (owner === viewer) return true
  if (owner.blocked.has(viewer.lid)) return false
  const chosen = owner.privacy.get(what) ?? 'all'
  if (chosen === 'match_last_seen') return maySee(owner, viewer, 'last', isTrusted)
  const isContact = isTrusted || owner.contacts.has(viewer)
  if (chosen === 'contacts') return isContact
  if (chosen === 'contact_blacklist') return isContact && owner.hiddenFrom.get(what)?.has(viewer) !== true
  return chosen !== 'none'
}
