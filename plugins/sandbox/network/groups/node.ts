import { el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { type AccountState, shownJid } from '../directory/accounts.ts'
import type { Group } from './groups.ts'

/** A group in the format that clients parse (Baileys Socket/groups.js extractGroupMetadata). */
export function groupNode(group: Group): Stanza {
  const { creator, subjectBy, description, parent } = group
  const flags = [
    group.isAnnouncement && el('announcement'),
    group.isLocked && el('locked'),
    group.ephemeral > 0 && ephemeralNode(group),
    group.needsApproval && el('membership_approval_mode', {}, [el('group_join', { state: 'on' })]),
    group.isParent && el('parent', { default_membership_approval_mode: 'request_required' }),
    parent && el('linked_parent', { jid: parent.jid }),
    group.isDefault && el('default_sub_group'),
    el('member_add_mode', {}, Buffer.from(group.addMode)),
  ]
  const descriptionAttrs = description && {
    id: description.id,
    t: description.at,
    participant: description.by.lid,
    participant_pn: shownJid(description.by),
  }
  return el(
    'group',
    {
      id: group.jid.replace('@g.us', ''),
      creation: group.creation,
      creator: creator.lid,
      creator_pn: shownJid(creator),
      s_t: group.subjectAt,
      s_o: subjectBy.lid,
      s_o_pn: shownJid(subjectBy),
      subject: group.subject,
      size: group.members.size,
      addressing_mode: 'lid',
      p_v_id: group.version,
      a_v_id: group.creation,
    },
    [
      ...[...group.members].map(([account, role]) => participantNode(account, role)),
      ...(description && descriptionAttrs
        ? [el('description', descriptionAttrs, [el('body', {}, Buffer.from(description.text))])]
        : []),
      ...flags.filter((flag) => flag !== false && flag !== undefined),
    ],
  )
}

/** The disappearing timer of a group, and its trigger. */
export function ephemeralNode({ ephemeral, ephemeralTrigger }: Group): Stanza {
  return el('ephemeral', { expiration: ephemeral, trigger: ephemeralTrigger })
}

/** A group as it appears in its community's list and in link notifications. */
export function linkedNode(group: Group): Stanza {
  const { jid, subject, subjectAt, creation, members } = group
  const attrs = { id: jid.replace('@g.us', ''), jid, subject, s_t: subjectAt, creation, size: members.size }
  return el('group', attrs, group.isDefault ? [el('default_sub_group')] : [])
}

export function participantNode(account: AccountState, role: string = 'member'): Stanza {
  const type = role === 'member' ? undefined : role
  const { lid, username } = account
  const attrs = { jid: lid, phone_number: shownJid(account), type, username: username || undefined }
  return el('participant', attrs)
}
