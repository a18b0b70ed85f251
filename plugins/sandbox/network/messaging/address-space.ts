import { bare, child, children, SERVER, serverOf } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState, Device } from '../directory/accounts.ts'
import type { NetworkState } from '../state.ts'

/**
 * Whether a 1:1 message has an address of the wrong space, or a device twice: 400. All of them are LIDs if the 1:1 chats of the
 * sender's account have been migrated, and else numbers (WR#730, #941, src/send/mod.rs). What is sent between own devices goes by
 * number all the same (WM cb6d9dad).
 */
export function isMisaddressed(state: NetworkState, { account }: Device, message: Stanza): boolean {
  const { to = '', recipient, category, peer_recipient_pn: number } = message.attrs
  if (state.faults.networkWide.lenientAddressing || category === 'peer' || account.bot) return false
  if (!isPerson(to)) return false
  const devices = children(child(message, 'participants'), 'to').map(({ attrs }) => attrs['jid'] ?? '')
  const space = spaceFor(state, account, to)
  const isOfSpace = (jid: string): boolean => serverOf(jid) === space
  const people = [to, ...devices, ...(recipient !== undefined && isPerson(recipient) ? [recipient] : [])]
  if (!people.every(isOfSpace) || new Set(devices).size < devices.length) return true
  return number !== undefined && (space !== 'lid' || serverOf(number) !== SERVER)
}

/**
 * Whether the sender is to look up the recipient's LID again (`refresh_lid`, WR client/node_io.rs): the number beside it is not, or
 * no longer, that of the LID. What WhatsApp goes by is not known.
 */
export function hasStaleLid(
  { directory, faults }: NetworkState,
  { account }: Device,
  message: Stanza,
): boolean {
  const { to = '', peer_recipient_pn: number } = message.attrs
  const { staleLids } = faults.of(account)
  if (staleLids && staleLids.left > 0 && isPerson(to)) {
    staleLids.left -= 1
    return true
  }
  return number !== undefined && directory.find(bare(number)) !== directory.find(bare(to))
}

/** Somebody who hides the number has only a LID, in whatever space the sender is. Whether WhatsApp allows that is not known. */
function spaceFor({ directory }: NetworkState, account: AccountState, to: string): string {
  const isHidden = directory.find(bare(to))?.hidesNumber === true
  return account.lidMigrated || isHidden ? 'lid' : SERVER
}

function isPerson(jid: string): boolean {
  const server = serverOf(jid)
  return server === SERVER || server === 'lid'
}
