import { randomBytes } from 'node:crypto'
import { child, children, el, parseJid, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { type AccountState, type Device, inFormOf, shownJid } from '../directory/accounts.ts'
import type { NetworkState } from '../state.ts'
import type { Call } from './calls.ts'

/** The reason given to an account's other devices after one of them has answered. */
const ELSEWHERE_REASONS: Readonly<Record<string, string>> = {
  accept: 'accepted_elsewhere',
  reject: 'rejected_elsewhere',
}
const STATES: Readonly<Record<string, Call['state']>> = {
  accept: 'accepted',
  reject: 'rejected',
  terminate: 'ended',
}

/** Relays a call stanza to every device of the other party, and updates the state of the call. */
export function handleCall(state: NetworkState, sender: Device, stanza: Stanza): void {
  const { id = '', to = '' } = stanza.attrs
  const [part] = children(stanza)
  if (!part) return
  const { tag } = part
  if (tag === 'link_create') return createCallLink(state, sender, stanza, part)
  const acknowledge = (error?: string): void =>
    state.faults.delay(sender, () =>
      sender.link?.send(el('ack', { class: 'call', id, from: to, type: tag, t: seconds(), error })),
    )
  const callId = part.attrs['call-id'] ?? ''
  if (tag === 'offer') {
    const group = parseJid(to)?.server === 'g.us' ? to : undefined
    state.calls.set(callId, { id: callId, creator: sender, group, state: 'ringing' })
  }
  const call = state.calls.get(callId)
  const others = calleesOf(state, sender, to)
  if (!call || !others) return acknowledge('404')
  call.state = STATES[tag] ?? call.state
  acknowledge()
  const forwarded = tag === 'offer' && call.group ? noticeOf(part, call.group) : part
  for (const account of others) relay(state, sender, account, call, forwarded)
  const reason = ELSEWHERE_REASONS[tag]
  if (reason) relay(state, call.creator, sender.account, call, el('terminate', { reason }), sender)
}

/** The accounts to which a call stanza is addressed; undefined if the address is unknown or not permitted. */
function calleesOf(state: NetworkState, { account }: Device, to: string): AccountState[] | undefined {
  if (parseJid(to)?.server !== 'g.us') {
    const other = state.directory.find(to)
    // A blocked caller gets an ack; the callee gets no stanza.
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
  const attrs = {
    ...part.attrs,
    'call-id': id,
    'call-creator': creator.lid,
    caller_pn: shownJid(creator.account),
  }
  const call = {
    from: inFormOf('@lid', from.account),
    id: randomBytes(8).toString('hex').toUpperCase(),
    t: seconds(),
    notify: from.account.name,
    platform: from.id === 0 ? 'android' : 'web',
    version: '2.25.1',
  }
  state.delivery.deliverToAccount(to, el('call', call, [el(part.tag, attrs, part.content)]), except)
}

/** Companions get a notice of a group call, without the data needed to join it. */
function noticeOf(offer: Stanza, group: string): Stanza {
  const isVideo = children(offer, 'video').length > 0
  return el('offer_notice', { 'group-jid': group, media: isVideo ? 'video' : 'audio', type: 'group' })
}

const MEDIA = new Set(['audio', 'video'])

/** Creates a call link, whose token is in the ack (Baileys Socket/chats.js createCallLink). */
function createCallLink(state: NetworkState, sender: Device, { attrs }: Stanza, request: Stanza): void {
  const { id, to: from } = attrs
  const { media = '' } = request.attrs
  const start = child(request, 'event')?.attrs['start_time']
  const answer = (content: Record<string, string | undefined>, nodes?: Stanza[]): void =>
    state.faults.delay(sender, () =>
      sender.link?.send(
        el('ack', { class: 'call', type: 'link_create', id, from, t: seconds(), ...content }, nodes),
      ),
    )
  if (!MEDIA.has(media)) return answer({ error: '400' })
  const token = randomBytes(16).toString('base64url').replace(/[-_]/g, 'x')
  const startTime = start === undefined ? undefined : Number(start)
  state.callLinks.set(token, { creator: sender.account, media, startTime })
  answer({}, [el('link_create', { token, media })])
}
