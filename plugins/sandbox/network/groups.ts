import { randomBytes, randomInt } from 'node:crypto'
import { el, seconds } from '../stanza.ts'
import type { Stanza } from '../types.ts'
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
  isLocked: boolean
  isAnnouncement: boolean
  ephemeral: number
  invite: string
  picture: { id: string; data: Buffer } | undefined
}

export interface Groups {
  create(creator: AccountState, subject: string): Group
  /** Throws 404 for no group, 403 for one that the account is not in. */
  get(jid: string, account: AccountState): Group
  byInvite(code: string): Group
  of(account: AccountState): Group[]
  all(): Group[]
  membersOf(jid: string): AccountState[]
  /** The code that an account's message to the group is refused with. */
  refusalFor(jid: string, account: AccountState): string | undefined
  picture(jid: string): Group['picture']
  setPicture(jid: string, account: AccountState, data: Buffer): Stanza[]
}

export function createGroups(): Groups {
  const groups = new Map<string, Group>()
  const get = (jid: string, account: AccountState): Group => {
    const group = groups.get(jid)
    if (!group) throw refusal(404, 'item-not-found')
    if (!group.members.has(account)) throw refusal(403, 'forbidden')
    return group
  }
  return {
    create(creator, subject) {
      const creation = seconds()
      const group: Group = {
        jid: `120363${randomInt(1e11, 1e12 - 1)}@g.us`,
        creation,
        creator,
        subject,
        subjectBy: creator,
        subjectAt: creation,
        description: undefined,
        members: new Map([[creator, 'superadmin']]),
        isLocked: false,
        isAnnouncement: false,
        ephemeral: 0,
        invite: newInvite(),
        picture: undefined,
      }
      groups.set(group.jid, group)
      return group
    },
    get,
    byInvite(code) {
      const group = [...groups.values()].find(({ invite }) => invite === code)
      if (!group) throw refusal(406, 'not-acceptable')
      return group
    },
    of: (account) => [...groups.values()].filter(({ members }) => members.has(account)),
    all: () => [...groups.values()],
    membersOf: (jid) => [...(groups.get(jid)?.members.keys() ?? [])],
    refusalFor(jid, account) {
      const group = groups.get(jid)
      if (!group) return '404'
      const role = group.members.get(account)
      if (!role) return '403'
      return group.isAnnouncement && role === 'member' ? '403' : undefined
    },
    picture: (jid) => groups.get(jid)?.picture,
    setPicture(jid, account, data) {
      const group = get(jid, account)
      if (group.isLocked && !isAdmin(group, account)) throw refusal(403, 'forbidden')
      group.picture = data.length > 0 ? { id: String(randomInt(1e9)), data } : undefined
      return [el('picture', { id: group.picture?.id })]
    },
  }
}

export function isAdmin(group: Group, account: AccountState): boolean {
  const role = group.members.get(account)
  return role === 'admin' || role === 'superadmin'
}

export function newInvite(): string {
  return randomBytes(16).toString('base64url').replace(/[-_]/g, 'x').slice(0, 22)
}

/** As clients read it: Baileys Socket/groups.js extractGroupMetadata. */
export function groupNode(group: Group): Stanza {
  const { creator, subjectBy, description } = group
  const participants = [...group.members].map(([account, role]) =>
    el('participant', {
      jid: account.lid,
      phone_number: account.jid,
      type: role === 'member' ? undefined : role,
    }),
  )
  return el(
    'group',
    {
      id: group.jid.replace('@g.us', ''),
      creation: group.creation,
      creator: creator.lid,
      creator_pn: creator.jid,
      s_t: group.subjectAt,
      s_o: subjectBy.lid,
      s_o_pn: subjectBy.jid,
      subject: group.subject,
      size: group.members.size,
      addressing_mode: 'lid',
    },
    [
      ...participants,
      ...(description
        ? [
            el('description', { id: description.id, t: description.at, participant: description.by.lid }, [
              el('body', {}, Buffer.from(description.text)),
            ]),
          ]
        : []),
      ...(group.isAnnouncement ? [el('announcement')] : []),
      ...(group.isLocked ? [el('locked')] : []),
      ...(group.ephemeral > 0 ? [el('ephemeral', { expiration: group.ephemeral })] : []),
    ],
  )
}
