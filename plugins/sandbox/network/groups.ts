import { randomBytes, randomInt } from 'node:crypto'
import { seconds } from '../stanza.ts'
import type { AccountState } from './accounts.ts'
import { refusal } from './refusal.ts'

export type Role = 'superadmin' | 'admin' | 'member'

export interface Group {
  readonly jid: string
  readonly creation: number
  readonly creator: AccountState
  subject: string
  subjectBy: AccountState
  subjectAt: number
  description: { id: string; text: string; by: AccountState; at: number } | undefined
  readonly members: Map<AccountState, Role>
  /** Went by themselves: nobody may add them again. */
  readonly left: Set<AccountState>
  /** Ask to be let in, since when. */
  readonly requests: Map<AccountState, number>
  /** Invitations of those whose privacy keeps others from adding them, by code. */
  readonly invitations: Map<string, { account: AccountState; expiration: number }>
  isLocked: boolean
  isAnnouncement: boolean
  isApproved: boolean
  ephemeral: number
  addMode: 'admin_add' | 'all_member_add'
  invite: string
  readonly revoked: Set<string>
  picture: { id: string; data: Buffer } | undefined
  /** Counts the changes of its members. */
  version: number
  /** A community: it holds groups, not messages. */
  readonly isParent: boolean
  /** The community that it belongs to. */
  parent: Group | undefined
  /** The community's own group for announcements. */
  readonly isDefault: boolean
}

export interface Groups {
  /** Throws 406 for a subject that is empty or too long. */
  create(creator: AccountState, subject: string, kind?: Partial<Group>): Group
  /** Throws 404 for no group, 403 for one that the account is not in. */
  get(jid: string, account: AccountState): Group
  find(jid: string): Group | undefined
  /** Throws 406 for no code, 410 for one that was revoked. */
  byInvite(code: string): Group
  of(account: AccountState): Group[]
  all(): Group[]
  /** The groups of a community. */
  within(parent: Group): Group[]
  membersOf(jid: string): AccountState[]
  picture(jid: string): Group['picture']
  /** The code that an account's message to the group is refused with. */
  refusalFor(jid: string, account: AccountState): string | undefined
}

const SUBJECT_MOST = 100

export function createGroups(): Groups {
  const groups = new Map<string, Group>()
  const all = (): Group[] => [...groups.values()]
  return {
    create(creator, subject, kind = {}) {
      const group = newGroup(creator, checkedSubject(subject), kind)
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
    within: (parent) => all().filter((group) => group.parent === parent),
    membersOf: (jid) => [...(groups.get(jid)?.members.keys() ?? [])],
    picture: (jid) => groups.get(jid)?.picture,
    refusalFor(jid, account) {
      const group = groups.get(jid)
      if (!group) return '404'
      if (!group.members.has(account) || group.isParent) return '403'
      return group.isAnnouncement && !isAdmin(group, account) ? '403' : undefined
    },
  }
}

export function isAdmin(group: Group, account: AccountState): boolean {
  const role = group.members.get(account)
  return role === 'admin' || role === 'superadmin'
}

export function needAdmin(group: Group, account: AccountState): void {
  if (!isAdmin(group, account)) throw refusal(403, 'forbidden')
}

/** Who may change what the group shows of itself: admins, and everybody while it is not locked. */
export function needEditor(group: Group, account: AccountState): void {
  if (group.isLocked) needAdmin(group, account)
}

export function checkedSubject(subject: string): string {
  if (subject === '' || subject.length > SUBJECT_MOST) throw refusal(406, 'not-acceptable')
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
    isApproved: false,
    ephemeral: 0,
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
