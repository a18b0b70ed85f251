import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, children, Jid, textOf } from 'wamux/messaging'
import type { GroupInfo, Participant } from './schemas.ts'

/** Parses a `<group>`. */
export function groupOf(node: BinaryNode): GroupInfo {
  const { attrs } = node
  const has = (tag: string): boolean => child(node, tag) !== undefined
  const participants = children(node, 'participant').map(participantOf)
  const parent = child(node, 'parent')
  return {
    JID: groupJid(attrs['id'] ?? ''),
    OwnerJID: attrs['creator'] ?? '',
    OwnerPN: attrs['creator_pn'] ?? '',
    ...nameOf(node),
    ...topicOf(child(node, 'description')),
    IsLocked: has('locked'),
    IsAnnounce: has('announcement'),
    AnnounceVersionID: attrs['a_v_id'] ?? '',
    IsEphemeral: has('ephemeral'),
    DisappearingTimer: Number(child(node, 'ephemeral')?.attrs['expiration'] ?? 0),
    IsIncognito: has('incognito'),
    IsParent: parent !== undefined,
    DefaultMembershipApprovalMode: parent?.attrs['default_membership_approval_mode'] ?? '',
    LinkedParentJID: child(node, 'linked_parent')?.attrs['jid'] ?? '',
    IsDefaultSubGroup: has('default_sub_group'),
    IsJoinApprovalRequired: has('membership_approval_mode'),
    AddressingMode: attrs['addressing_mode'] ?? '',
    GroupCreated: timeOf(attrs['creation']),
    ParticipantVersionID: attrs['p_v_id'] ?? '',
    Participants: participants,
    ParticipantCount: Number(attrs['size'] ?? participants.length),
    MemberAddMode: textOf(child(node, 'member_add_mode')),
  }
}

/** Parses a `<participant>`, also of a failed action. */
export function participantOf(node: BinaryNode): Participant {
  const { jid = '', phone_number = '', lid = '', type, display_name = '', error, username } = node.attrs
  const isLid = Jid.isLid(jid)
  const request = child(node, 'add_request')?.attrs
  return {
    JID: jid,
    PhoneNumber: isLid ? phone_number : jid,
    LID: isLid ? jid : lid,
    IsAdmin: type === 'admin' || type === 'superadmin',
    IsSuperAdmin: type === 'superadmin',
    DisplayName: display_name,
    ...(username ? { Username: username } : {}),
    Error: Number(error ?? 0),
    AddRequest: request ? { Code: request['code'] ?? '', Expiration: timeOf(request['expiration']) } : null,
  }
}

export function nameOf({ attrs }: BinaryNode) {
  return {
    Name: attrs['subject'] ?? '',
    NameSetAt: timeOf(attrs['s_t']),
    NameSetBy: attrs['s_o'] ?? '',
    NameSetByPN: attrs['s_o_pn'] ?? '',
  }
}

function topicOf(node: BinaryNode | undefined) {
  return {
    Topic: textOf(child(node, 'body')),
    TopicID: node?.attrs['id'] ?? '',
    TopicSetAt: timeOf(node?.attrs['t']),
    TopicSetBy: node?.attrs['participant'] ?? '',
    TopicSetByPN: node?.attrs['participant_pn'] ?? '',
    TopicDeleted: false,
  }
}

export function groupJid(id: string): string {
  return id.includes('@') ? id : Jid.ofGroup(id)
}

/** Seconds as RFC 3339; the interface's zero time if absent. */
export function timeOf(seconds: string | undefined): string {
  const value = Number(seconds ?? 0)
  return value > 0 ? new Date(value * 1000).toISOString() : '0001-01-01T00:00:00Z'
}
