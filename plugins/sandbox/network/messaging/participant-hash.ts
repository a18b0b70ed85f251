import { createHash } from 'node:crypto'
import { child, children, isHosted, parseJid, serverOf } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState, Device } from '../directory/accounts.ts'
import type { NetworkState } from '../state.ts'

const HASHED_BYTES = 6

/**
 * The hash of the devices that a message should have reached, for its ack (`phash`), by which a sender learns that its list of
 * devices is out of date. 1:1, of the devices of both sides but the sending one, with each message; the stanza has no hash there.
 * In a group, of the devices of all members, and only if the stanza has another one (whatsapp-rust send/dm.rs, send/group.rs); hosted
 * devices take no part in groups (zapo #111). That they count 1:1 is not known [?].
 */
export function hashForAck(state: NetworkState, sender: Device, message: Stanza): string | undefined {
  const { to = '', category, phash, addressing_mode: mode } = message.attrs
  const server = parseJid(to)?.server
  if (server === 'g.us') {
    if (!phash) return undefined
    const members = jidsOf(state.groups.membersOf(to), mode === 'pn' ? 'jid' : 'lid')
    const hash = hashOf(members.filter((jid) => !isHosted(jid)))
    if (hash === phash) return undefined
    state.counters.outdatedDevices += 1
    return hash
  }
  const target = state.directory.find(to)
  const participants = child(message, 'participants')
  // Bots have no devices; a message to one device has no list of them.
  if (!target || target.bot || category === 'peer' || !participants) return undefined
  const form = serverOf(to) === 'lid' ? 'lid' : 'jid'
  const jids = jidsOf([...new Set([target, sender.account])], form).filter((jid) => jid !== sender[form])
  const hash = hashOf(jids)
  if (hash !== hashOf(children(participants, 'to').map(({ attrs }) => attrs['jid'] ?? '')))
    state.counters.outdatedDevices += 1
  return hash
}

/** The devices of accounts by number or by LID. */
export function jidsOf(accounts: readonly AccountState[], form: 'jid' | 'lid'): string[] {
  return accounts.flatMap(({ devices }) => [...devices.values()].map((device) => device[form]))
}

/** Device 0 and the agent are written out: `user.0:0@lid` (whatsmeow send.go participantListHashV2). */
export function hashOf(jids: readonly string[]): string {
  const names = jids.map((jid) => {
    const { user, device, server } = parseJid(jid) ?? { user: '', device: 0, server: '' }
    return `${user}.0:${device}@${server}`
  })
  const digest = createHash('sha256').update(names.sort().join('')).digest()
  return `2:${digest.subarray(0, HASHED_BYTES).toString('base64')}`
}
