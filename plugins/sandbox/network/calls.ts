import { randomBytes } from 'node:crypto'
import { bare, children, el, parseJid, seconds } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import { type AccountState, type Device, inFormOf } from './accounts.ts'
import type { NetworkState } from './state.ts'

export interface Call {
  readonly id: string
  readonly creator: Device
  /** Of a group call. */
  readonly group: string | undefined
  state: 'ringing' | 'accepted' | 'rejected' | 'ended'
}

/** Calls by id, for GET /sandbox/network too. */
export type Calls = Map<string, Call>

/** What ends the ringing of an account's other devices, and what they hear then. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  accept: 'accepted_elsewhere',
  reject: 'rejected_elsewhere',
}
const STATES: Readonly<Record<string, Call['state']>> = {
  accept: 'accepted',
  reject: 'rejected',
  terminate: 'ended',
}

/** A device calls, or says something about a call: relayed to every device of the other side. */
export function takeCall(state: NetworkState, sender: Device, stanza: Stanza): void {
  const { id = '', to = '' } = stanza.attrs
  const [part] = children(stanza)
  if (!part) return
  const { tag } = part
  const answer = (error?: string): void =>
    state.faults.delayed(sender, () =>
      sender.link?.send(el('ack', { class: 'call', id, from: to, type: tag, t: seconds(), error })),
    )
  const callId = part.attrs['call-id'] ?? ''
  if (tag === 'offer') {
    const group = parseJid(to)?.server === 'g.us' ? to : undefined
    state.calls.set(callId, { id: callId, creator: sender, group, state: 'ringing' })
  }
  const call = state.calls.get(callId)
  const others = callees(state, sender, to)
  if (!call || !others) return answer('404')
  call.state = STATES[tag] ?? call.state
  answer()
  const passed = tag === 'offer' && call.group ? noticeOf(part, call.group) : part
  for (const account of others) relay(state, sender, account, call, passed)
  const reason = ELSEWHERE[tag]
  if (reason) relay(state, call.creator, sender.account, call, el('terminate', { reason }), sender)
}

/** The accounts that a call stanza is for; undefined where there are none. */
function callees(state: NetworkState, { account }: Device, to: string): AccountState[] | undefined {
  if (parseJid(to)?.server !== 'g.us') {
    const other = state.directory.find(to)
    // Who is blocked hears it ring, and nobody is there.
    return other && (other.blocked.has(account.lid) ? [] : [other])
  }
  const members = state.groups.membersOf(to)
  return members.includes(account) ? members.filter((member) => member !== account) : undefined
}

function relay(
  state: NetworkState,
  from: Device,
  to: AccountState,
  { id, creator }: Call,
  part: Stanza,
  except?: Device,
): void {
  const attrs = { ...part.attrs, 'call-id': id, 'call-creator': creator.lid, caller_pn: bare(creator.jid) }
  const call = {
    from: inFormOf('@lid', from.account),
    id: randomBytes(8).toString('hex').toUpperCase(),
    t: seconds(),
    notify: from.account.name,
    platform: from.id === 0 ? 'android' : 'web',
    version: '2.25.1',
  }
  state.delivery.toAccount(to, el('call', call, [el(part.tag, attrs, part.content)]), except)
}

/** Companions are only told that a group call rings, not how to join it. */
function noticeOf(offer: Stanza, group: string): Stanza {
  const isVideo = children(offer, 'video').length > 0
  return el('offer_notice', { 'group-jid': group, media: isVideo ? 'video' : 'audio', type: 'group' })
}

export function viewCall({ id, creator, group, state }: Call): Record<string, unknown> {
  return { ID: id, From: creator.account.phone, Group: group ?? '', State: state }
}
