import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, children, textOf } from 'wamux/messaging'
import { groupJid, nameOf } from './info.ts'

/** The phone JID of a LID; '' if unknown. */
export type PhoneOf = (lid: string) => Promise<string>

/** Time and author; a notification of a changed description has neither. */
interface Change {
  at: string
  by: string
  byPhone: string
}

/** The lists of participants, by the tag of the change. */
const LISTS = {
  add: 'Join',
  remove: 'Leave',
  promote: 'Promote',
  demote: 'Demote',
  created_membership_requests: 'MembershipRequestsCreated',
  revoked_membership_requests: 'MembershipRequestsRevoked',
} as const

/** The changes in a notification, as fields of the `GroupInfo` event. */
export async function changesOf(
  nodes: readonly BinaryNode[],
  change: Change,
  phoneOf: PhoneOf,
): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {
    Name: null,
    Topic: null,
    Locked: null,
    Announce: null,
    Ephemeral: null,
    MembershipApprovalMode: null,
    MemberAddMode: null,
    Delete: null,
    Link: null,
    Unlink: null,
    NewInviteLink: null,
    PrevParticipantVersionID: '',
    ParticipantVersionID: '',
    JoinReason: '',
    MembershipRequestMethod: '',
  }
  for (const list of Object.values(LISTS)) Object.assign(found, { [list]: [], [`${list}Alt`]: [] })
  const unknown: unknown[] = []
  for (const node of nodes) {
    const said = node.tag in LISTS ? await people(node, phoneOf) : settingOf(node, change)
    if (said) Object.assign(found, said)
    else unknown.push({ Tag: node.tag, Attrs: node.attrs })
  }
  return { ...found, UnknownChanges: unknown }
}

async function people(node: BinaryNode, phoneOf: PhoneOf): Promise<Record<string, unknown>> {
  const { tag, attrs } = node
  const list = LISTS[tag as keyof typeof LISTS]
  const jids = children(node).map((person) => person.attrs['jid'] ?? '')
  const phones = children(node).map(
    async (person, index) => person.attrs['phone_number'] ?? (await phoneOf(jids[index] ?? '')),
  )
  return {
    [list]: jids,
    [`${list}Alt`]: await Promise.all(phones),
    ...(attrs['v_id'] ? { ParticipantVersionID: attrs['v_id'] } : {}),
    ...(attrs['prev_v_id'] ? { PrevParticipantVersionID: attrs['prev_v_id'] } : {}),
    ...(tag === 'add' ? { JoinReason: attrs['reason'] ?? '' } : {}),
    ...(attrs['request_method'] ? { MembershipRequestMethod: attrs['request_method'] } : {}),
  }
}

function settingOf(node: BinaryNode, change: Change): Record<string, unknown> | undefined {
  const { tag, attrs } = node
  switch (tag) {
    case 'subject':
      return { Name: nameOf(node) }
    case 'description':
      return { Topic: topicOf(node, change) }
    case 'locked':
    case 'unlocked':
      return { Locked: { IsLocked: tag === 'locked' } }
    case 'announcement':
    case 'not_announcement':
      return {
        Announce: { IsAnnounce: tag === 'announcement', AnnounceVersionID: attrs['v_id'] ?? '' },
      }
    case 'ephemeral':
    case 'not_ephemeral':
      return {
        Ephemeral: {
          IsEphemeral: tag === 'ephemeral',
          DisappearingTimer: Number(attrs['expiration'] ?? 0),
        },
      }
    case 'membership_approval_mode':
      return {
        MembershipApprovalMode: {
          IsJoinApprovalRequired: child(node, 'group_join')?.attrs['state'] !== 'off',
        },
      }
    case 'member_add_mode':
      return { MemberAddMode: textOf(node) }
    case 'delete':
      return { Delete: { Deleted: true, DeleteReason: attrs['reason'] ?? '' } }
    case 'invite':
      return { NewInviteLink: `https://chat.whatsapp.com/${attrs['code'] ?? ''}` }
    case 'link':
      return { Link: linkOf(node, attrs['link_type']) }
    case 'unlink':
      return { Unlink: linkOf(node, attrs['unlink_type']) }
    default:
      return undefined
  }
}

function topicOf(node: BinaryNode, { at, by, byPhone }: Change): Record<string, unknown> {
  return {
    Topic: textOf(child(node, 'body')),
    TopicID: node.attrs['id'] ?? '',
    TopicSetAt: at,
    TopicSetBy: by,
    TopicSetByPN: byPhone,
    TopicDeleted: child(node, 'delete') !== undefined,
  }
}

function linkOf(node: BinaryNode, type = ''): Record<string, unknown> {
  const group = child(node, 'group') ?? { tag: 'group', attrs: {} }
  return {
    Type: type,
    UnlinkReason: node.attrs['unlink_reason'] ?? '',
    Group: {
      JID: groupJid(group.attrs['jid'] ?? group.attrs['id'] ?? ''),
      ...nameOf(group),
      IsDefaultSubGroup: child(group, 'default_sub_group') !== undefined,
    },
  }
}
