import type { Group } from './groups.ts'

/** A group as shown by GET /sandbox/network. */
export function viewGroup(group: Group): Record<string, unknown> {
  return {
    JID: group.jid,
    Subject: group.subject,
    Description: group.description?.text ?? '',
    Members: [...group.members].map(([account, role]) => ({ Phone: account.phone, Role: role })),
    Requests: [...group.requests.keys()].map(({ phone }) => phone),
    Locked: group.isLocked,
    AdminOnly: group.isAnnouncement,
    Approval: group.needsApproval,
    AddMode: group.addMode,
    Ephemeral: group.ephemeral,
    Invite: group.invite,
    Picture: group.picture?.id ?? '',
    Community: group.isParent,
    Parent: group.parent?.jid ?? '',
    Default: group.isDefault,
  }
}
