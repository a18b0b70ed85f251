import { unixSeconds } from 'wamux/messaging'
import type { GatewayEvents } from 'wamux/plugin'
import type { Named, Readers } from '../dialect.ts'
import { contactId, idIn } from './ids.ts'

type Fields = Record<string, unknown>

/** Presence, calls, labels and the state of chats. */
export const chatReaders: Readers = {
  Presence({ event, state }) {
    const id = idIn(String(event['From']), String(event['FromAlt']))
    const lastSeen = event['LastSeen'] ? unixSeconds(String(event['LastSeen'])) : null
    return presence(id, { participant: id, lastKnownPresence: state, lastSeen })
  },
  ChatPresence({ event }) {
    const sender = idIn(String(event['Sender']), String(event['SenderAlt']))
    const chat = event['IsGroup'] ? String(event['Chat']) : sender
    const typing = event['Media'] === 'audio' ? 'recording' : 'typing'
    const lastKnownPresence = event['State'] === 'composing' ? typing : 'paused'
    return presence(chat, { participant: sender, lastKnownPresence, lastSeen: null })
  },
  CallOffer: (body) => call('call.received', body),
  CallAccept: (body) => call('call.accepted', body),
  CallReject: (body) => call('call.rejected', body),
  Archive({ event }) {
    const { JID, JIDAlt, Timestamp, Action } = event
    const archived = (Action as Fields)['archived'] === true
    return [
      { event: 'chat.archive', data: { id: idIn(JID, JIDAlt), timestamp: unixSeconds(Timestamp), archived } },
    ]
  },
  LabelEdit({ event: { LabelID: id, Action } }) {
    const { name = '', color = 0, deleted } = Action
    const data = { id, name, color, colorHex: COLORS[Number(color)] ?? '#000000' }
    return [{ event: deleted ? 'label.deleted' : 'label.upsert', data }]
  },
  LabelAssociationChat({ event: { LabelID: labelId, JID, JIDAlt, Action } }) {
    const event = Action['labeled'] ? 'label.chat.added' : 'label.chat.deleted'
    return [{ event, data: { labelId, chatId: idIn(JID, JIDAlt), label: null } }]
  },
}

function presence(id: string, one: Fields): Named[] {
  return [{ event: 'presence.update', data: { id, presences: [one] } }]
}

function call(event: string, { event: given }: GatewayEvents['CallOffer']): Named[] {
  const { CallID: id, Media, GroupJID } = given
  const from = idIn(String(given['CallCreator']), String(given['CallCreatorAlt']))
  const timestamp = unixSeconds(String(given['Timestamp']))
  return [{ event, data: { id, from, timestamp, isVideo: Media === 'video', isGroup: GroupJID !== '' } }]
}

/** Roles after each change of members. */
const CHANGES = [
  { type: 'join', list: 'Join', role: 'participant' },
  { type: 'leave', list: 'Leave', role: 'left' },
  { type: 'promote', list: 'Promote', role: 'admin' },
  { type: 'demote', list: 'Demote', role: 'participant' },
] as const

export const groupReaders: Readers = {
  GroupInfo({ event }) {
    const id = String(event['JID'])
    const timestamp = unixSeconds(String(event['Timestamp']))
    const changes = CHANGES.flatMap(({ type, list, role }) => {
      const alts = (event[`${list}Alt`] ?? []) as string[]
      const jids = (event[list] ?? []) as string[]
      const participants = jids.map((jid, at) => ({ id: idIn(jid, alts[at] ?? ''), role }))
      const data = { type, timestamp, group: { id }, participants, _data: event }
      return jids.length > 0 ? [{ event: 'group.v2.participants', data }] : []
    })
    const changed = changedIn(event)
    return Object.keys(changed).length > 0
      ? [
          ...changes,
          { event: 'group.v2.update', data: { group: { id, ...changed }, timestamp, _data: event } },
        ]
      : changes
  },
  JoinedGroup({ event }, { line }) {
    const participants = ((event['Participants'] ?? []) as Fields[]).map((one) => ({
      id: contactId(String(one['PhoneNumber'] || one['JID'])),
      role: one['IsSuperAdmin'] ? 'superadmin' : one['IsAdmin'] ? 'admin' : 'participant',
    }))
    const group = {
      id: String(event['JID']),
      subject: String(event['Name']),
      description: String(event['Topic']),
      membersCanAddNewMember: event['MemberAddMode'] === 'all_member_add',
      membersCanSendMessages: event['IsAnnounce'] !== true,
      newMembersApprovalRequired: event['IsJoinApprovalRequired'] === true,
      participants,
    }
    return [{ event: 'group.v2.join', data: { group, timestamp: unixSeconds(line.time), _data: event } }]
  },
}

/** The changed properties of a group, as there. */
function changedIn(event: Fields): Fields {
  const { Name, Topic, Announce, MembershipApprovalMode, MemberAddMode } = event as Record<
    string,
    Fields | null
  >
  return {
    ...(Name ? { subject: Name['Name'] } : {}),
    ...(Topic ? { description: Topic['Topic'] } : {}),
    ...(Announce ? { membersCanSendMessages: Announce['IsAnnounce'] !== true } : {}),
    ...(MembershipApprovalMode
      ? { newMembersApprovalRequired: MembershipApprovalMode['IsJoinApprovalRequired'] === true }
      : {}),
    ...(MemberAddMode ? { membersCanAddNewMember: String(MemberAddMode) === 'all_member_add' } : {}),
  }
}

/** WhatsApp's colours of labels, by number. */
const COLORS: readonly string[] = [
  ...['#ff9485', '#64c4ff', '#ffd429', '#dfaef0', '#99b6c1', '#55ccb3', '#ff9dff', '#d3a91d', '#6d7cce'],
  ...['#d7e752', '#00d0e2', '#ffc5c7', '#93ceac', '#f74848', '#00a0f2', '#83e422', '#ffaf04', '#b5ebff'],
  ...['#9ba6ff', '#9368cf'],
]
