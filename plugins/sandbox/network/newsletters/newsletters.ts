import { randomBytes, randomInt } from 'node:crypto'
import { noSnapshots, type Slot } from '../../snapshots.ts'
import { seconds } from '../../stanza.ts'
import type { AccountState, Device } from '../directory/accounts.ts'
import { refusal } from '../refusal.ts'

export type NewsletterRole = 'OWNER' | 'ADMIN' | 'SUBSCRIBER'

export const MAX_NAME = 100

export interface NewsletterPost {
  readonly id: string
  /** Sequence number in the newsletter, from 100; used for paging, views and reactions. */
  readonly serverId: number
  readonly type: string
  readonly time: number
  /** The content after the last edit. */
  plain: Buffer
  readonly mediaId: string | undefined
  /** When the content, views or reactions last changed. */
  changedAt: number
  readonly viewers: Set<AccountState>
  readonly reactions: Map<AccountState, string>
  /** Of a poll, the names of the options that each voter has chosen. */
  votes?: Map<AccountState, readonly string[]>
}

export interface Newsletter {
  readonly jid: string
  readonly invite: string
  readonly creation: number
  name: string
  description: string
  picture: { readonly id: string; readonly data: Buffer } | undefined
  /** When name, description or picture last changed. */
  editedAt: number
  readonly followers: Map<AccountState, NewsletterRole>
  readonly muted: Set<AccountState>
  /** People invited to administer it, with the expiry (Unix seconds). */
  invited: Map<AccountState, number>
  /** Oldest first. */
  readonly posts: NewsletterPost[]
  /** Numbers of revoked posts are not reused. */
  lastServerId: number
  /** Devices subscribed to live updates of views and reactions, with the expiry (Unix seconds). */
  readonly watchers: Map<Device, number>
}

export interface Newsletters {
  /** Records that an account accepted the newsletter terms; `create` requires it. */
  acceptTerms(account: AccountState): void
  /** Throws 403 if the owner has not accepted the terms. */
  create(owner: AccountState, name: string, description: string, given?: Partial<Newsletter>): Newsletter
  find(jid: string): Newsletter | undefined
  /** Throws 404. */
  get(jid: string): Newsletter
  byInvite(code: string): Newsletter
  of(account: AccountState): Newsletter[]
  all(): Newsletter[]
  remove(newsletter: Newsletter): void
  /** Ends the live updates of a device whose connection closes. */
  unwatch(device: Device): void
  view(): Record<string, unknown>[]
}

export function createNewsletters(slot: Slot = noSnapshots.slot): Newsletters {
  const newsletters = slot('newsletters', () => new Map<string, Newsletter>())
  const acceptedTerms = slot('newsletter terms', () => new Set<AccountState>())
  for (const { watchers } of newsletters.values()) watchers.clear()
  const orNotFound = (newsletter: Newsletter | undefined): Newsletter => {
    if (!newsletter) throw refusal(404, 'item-not-found')
    return newsletter
  }
  return {
    acceptTerms: (account) => void acceptedTerms.add(account),
    create(owner, name, description, given = {}) {
      if (!acceptedTerms.has(owner)) throw refusal(403, 'the terms for newsletters are not accepted')
      const newsletter: Newsletter = {
        jid: `120363${randomInt(1e11, 1e12 - 1)}@newsletter`,
        invite: `0029Va${randomBytes(12).toString('hex').slice(0, 16)}`,
        creation: seconds(),
        name,
        description,
        picture: undefined,
        editedAt: seconds(),
        followers: new Map([[owner, 'OWNER']]),
        invited: new Map(),
        muted: new Set(),
        posts: [],
        lastServerId: 99,
        watchers: new Map(),
        ...given,
      }
      newsletters.set(newsletter.jid, newsletter)
      return newsletter
    },
    find: (jid) => newsletters.get(jid),
    get: (jid) => orNotFound(newsletters.get(jid)),
    byInvite: (code) => orNotFound([...newsletters.values()].find(({ invite }) => invite === code)),
    of: (account) => [...newsletters.values()].filter(({ followers }) => followers.has(account)),
    all: () => [...newsletters.values()],
    remove: ({ jid }) => void newsletters.delete(jid),
    unwatch(device) {
      for (const { watchers } of newsletters.values()) watchers.delete(device)
    },
    view: () => [...newsletters.values()].map(viewOf),
  }
}

/** Metadata in the network's JSON format, as one account sees it. As on the real network, a missing picture is `null`. */
export function metadataOf(newsletter: Newsletter, viewer: AccountState): Record<string, unknown> {
  const { jid, creation, editedAt, name, description, picture, invite, followers, muted } = newsletter
  const edited = { id: String(creation), update_time: String(editedAt * 1e6) }
  return {
    id: jid,
    state: { type: 'ACTIVE' },
    thread_metadata: {
      creation_time: String(creation),
      name: { ...edited, text: name },
      description: { ...edited, text: description },
      invite,
      picture: picture ? pictureOf(picture.id, 'IMAGE') : null,
      preview: picture ? pictureOf(picture.id, 'PREVIEW') : null,
      settings: { reaction_codes: { value: 'ALL' } },
      subscribers_count: String(subscribersOf(newsletter)),
      verification: 'UNVERIFIED',
    },
    viewer_metadata: { role: followers.get(viewer) ?? 'GUEST', mute: muted.has(viewer) ? 'ON' : 'OFF' },
  }
}

function pictureOf(id: string, type: string): Record<string, unknown> {
  return { id, type, direct_path: `/${type === 'PREVIEW' ? 'preview' : 'profile'}/${id}`, url: null }
}

export function countReactions({ reactions }: NewsletterPost): Map<string, number> {
  const counts = new Map<string, number>()
  for (const code of reactions.values()) counts.set(code, (counts.get(code) ?? 0) + 1)
  return counts
}

/** How often each option was chosen. */
export function countVotes({ votes = new Map() }: NewsletterPost): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of [...votes.values()].flat()) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function subscribersOf({ followers }: Newsletter): number {
  return [...followers.values()].filter((role) => role === 'SUBSCRIBER').length
}

function viewOf(newsletter: Newsletter): Record<string, unknown> {
  const { jid, name, description, invite, followers, muted, posts, watchers } = newsletter
  return {
    JID: jid,
    Name: name,
    Description: description,
    Picture: newsletter.picture?.id ?? '',
    Invite: invite,
    Followers: [...followers].map(([account, role]) => ({
      Phone: account.phone,
      Role: role,
      Muted: muted.has(account),
    })),
    Invited: [...newsletter.invited.keys()].map(({ phone }) => phone),
    Live: [...watchers.keys()].map((device) => device.jid),
    Posts: posts.map((post) => ({
      ID: post.id,
      ServerID: post.serverId,
      Type: post.type,
      MediaID: post.mediaId ?? '',
      Views: post.viewers.size,
      Reactions: Object.fromEntries(countReactions(post)),
      Votes: Object.fromEntries(countVotes(post)),
    })),
  }
}
