import { randomBytes, randomInt } from 'node:crypto'
import { noSnapshots, type Slot } from '../../snapshots.ts'
import { seconds } from '../../stanza.ts'
import type { AccountState } from '../directory/accounts.ts'
import { refusal } from '../refusal.ts'

export type Role = 'superadmin' | 'admin' | 'member'

/** An invitation of one account, issued to the admin that tried to add it. */
export interface Invitation {
  readonly account: AccountState
  readonly admin: AccountState
  readonly expiration: number
}

export interface Group {
  readonly jid: string
  readonly creation: number
  readonly creator: AccountState
  subject: string
  subjectBy: AccountState
  subjectAt: number
  description: { id: string; text: string; by: AccountState; at: number } | undefined
  readonly members: Map<AccountState, Role>
  /** Accounts that left, and can't be added again. */
  readonly left: Set<AccountState>
  /** Pending join requests with their time. */
  readonly requests: Map<AccountState, number>
  /** Invitations by code, for accounts whose privacy settings prevent adding them. */
  readonly invitations: Map<string, Invitation>
  isLocked: boolean
  isAnnouncement: boolean
  needsApproval: boolean
  ephemeral: number
  /** `DisappearingMode.Trigger` of the timer. */
  ephemeralTrigger: number
  addMode: 'admin_add' | 'all_member_add'
  invite: string
  readonly revoked: Set<string>
  picture: { id: string; data: Buffer } | undefined
  /** Incremented on each change of members. */
  version: number
  /** Whether it is a community, which contains groups and no messages. */
  readonly isParent: boolean
  /** The community to which the group belongs. */
  parent: Group | undefined
  /** Whether it is a community's announcement group. */
  readonly isDefault: boolean
}

export interface Groups {
  /** Throws 406 if the subject is empty or too long. */
  create(creator: AccountState, subject: string, kind?: Partial<Group>): Group
  /** Throws 404 for an unknown group, 403 if the account is not a member. */
  get(jid: string, account: AccountState): Group
  find(jid: string): Group | undefined
  /** Throws 406 for an unknown code, 410 for a revoked one. */
  byInvite(code: string): Group
  of(account: AccountState): Group[]
  all(): Group[]
  /** The groups of a community. */
  subgroups(parent: Group): Group[]
  membersOf(jid: string): AccountState[]
  picture(jid: string): Group['picture']
  /** The error code for a message of the account to the group; undefined to accept it. */
  refusalFor(jid: string, account: AccountState, type?: string): string | undefined
}

const MAX_SUBJECT = 100

export function createGroups(slot: Slot = noSnapshots.slot): Groups {
  const groups = slot('groups', () => new Map<string, Group>())
  const all = (): Group[] => [...groups.values()]
  return {
    create(creator, subject, kind = {}) {
      const group = newGroup(creator, validSubject(subject), kind)
      groups.set(group.jid, group)
      return group
    },
    get(jid, account) {
      const group = groups.get(jid)
      if (!group) throw refusal(404, 'item-not-found')
      if (!group.members.has(account)) throw refusal(403, 'forbidden')
      return group
    },
    find: (jid) => groups.get(jid),
    byInvite(code) {
      if (all().some(({ revoked }) => revoked.has(code))) throw refusal(410, 'gone')
      const group = all().find(({ invite }) => invite === code)
      if (!group) throw refusal(406, 'not-acceptable')
      return group
    },
    of: (account) => all().filter(({ members }) => members.has(account)),
    all,
    subgroups: (parent) => all().filter((group) => group.parent === parent),
    membersOf: (jid) => [...(groups.get(jid)?.members.keys() ?? [])],
    picture: (jid) => groups.get(jid)?.picture,
    refusalFor(jid, account, type) {
      const group = groups.get(jid)
      if (!group) return '404'
      if (!group.members.has(account) || group.isParent) return '403'
      // Members may react to announcements.
      return group.isAnnouncement && !isAdmin(group, account) && type !== 'reaction' ? '403' : undefined
    },
  }
}

export function isAdmin(group: Group, account: AccountState): boolean {
  const role = group.members.get(account)
  return role === 'admin' || role === 'superadmin'
}

export function assertAdmin(group: Group, account: AccountState): void {
  if (!isAdmin(group, account)) throw refusal(403, 'forbidden')
}

/** Admins may change the group info, and all members if the group is not locked. */
export function assertEditor(group: Group, account: AccountState): void {
  if (group.isLocked) assertAdmin(group, account)
}

export function validSubject(subject: string): string {
  if (subject === '' || subject.length > MAX_SUBJECT) throw refusal(406, 'not-acceptable')
  return subject
}

export function newInvite(): string {
  return randomBytes(16).toString('base64url').replace(/[-_]/g, 'x').slice(0, 22)
}

function newGroup(creator: AccountState, subject: string, kind: Partial<Group>): Group {
  const creation = seconds()
  return {
    jid: `120363${randomInt(1e11, 1e12 - 1)}@g.us`,
    creation,
    creator,
    subject,
    subjectBy: creator,
    subjectAt: creation,
    description: undefined,
    members: new Map([[creator, 'superadmin']]),
    left: new Set(),
    requests: new Map(),
    invitations: new Map(),
    isLocked: false,
    isAnnouncement: false,
    needsApproval: false,
    ephemeral: 0,
    ephemeralTrigger: 0,
    addMode: 'admin_add',
    invite: newInvite(),
    revoked: new Set(),
    picture: undefined,
    version: 1,
    isParent: false,
    parent: undefined,
    isDefault: false,
    ...kind,
  }
}
