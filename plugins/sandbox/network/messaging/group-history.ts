import { child, children } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState } from '../directory/accounts.ts'
import { servedProps } from '../directory/props.ts'
import { isAdmin } from '../groups/groups.ts'
import type { NetworkState } from '../state.ts'

/** Whether the account may share the history of groups (group_history_send). By default none may (zapo spec/abprops). */
const SEND = 15313

/**
 * The error code for the bundle with which a member shares the history of a group: 479 from an account that may not (zapo
 * WaMessageCoordinator.ts), 403 from a member that is not an admin, as the mode `admin_share` wants it. The code of the latter is not
 * known, nor which mode groups have by default.
 */
export function refusalOfHistory(
  state: NetworkState,
  sender: AccountState,
  message: Stanza,
): string | undefined {
  if (!isBundle(message)) return undefined
  const { props } = servedProps(state, sender)
  if (props[SEND] !== '1' && props[SEND] !== 'true') return '479'
  return isAdmin(state.groups.get(message.attrs['to'] ?? '', sender), sender) ? undefined : '403'
}

function isBundle(message: Stanza): boolean {
  const [first] = children(child(message, 'participants'), 'to')
  return child(first, 'enc')?.attrs['mediatype'] === 'group_history'
}
