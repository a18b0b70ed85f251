import { randomInt } from 'node:crypto'
import { seconds } from '../../stanza.ts'
import type { AccountState, Device } from '../directory/accounts.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { MAX_NAME, metadataOf, type Newsletter, type NewsletterRole } from './newsletters.ts'
import { notifyFollowers } from './notify.ts'

interface Variables {
  newsletter_id?: string
  user_id?: string
  updates?: { name?: string; description?: string; picture?: string }
}

type Answer = (state: NetworkState, device: Device, variables: Variables) => unknown

const MAX_DESCRIPTION = 2048
const MAX_PICTURE_BYTES = 200_000

/** Mex queries of a newsletter's admins, by query id (Baileys Socket/newsletter.js). */
export const ADMINISTRATION: Readonly<Record<string, [path: string, answer: Answer]>> = {
  '24250201037901610': ['xwa2_newsletter_update', update],
  '9783111038412085': ['xwa2_newsletter_subscribers', subscribers],
  '7130823597031706': ['xwa2_newsletter_admin', adminCount],
  '7341777602580933': ['xwa2_newsletter_change_owner', changeOwner],
  '6551828931592903': ['xwa2_newsletter_demote', demote],
  '30062808666639665': ['xwa2_newsletter_delete_v2', remove],
}

/** Name, description and picture; an empty picture removes it. Absent fields are unchanged. */
function update(state: NetworkState, device: Device, { newsletter_id, updates = {} }: Variables): unknown {
  const newsletter = administered(state, device, newsletter_id, ['OWNER', 'ADMIN'])
  const { name, description, picture } = updates
  if (name !== undefined && (name === '' || name.length > MAX_NAME))
    throw refusal(400, 'the name is empty or too long')
  if ((description?.length ?? 0) > MAX_DESCRIPTION) throw refusal(400, 'the description is too long')
  const image = picture === undefined ? undefined : readPicture(picture)
  newsletter.name = name ?? newsletter.name
  newsletter.description = description ?? newsletter.description
  if (picture !== undefined) newsletter.picture = image
  newsletter.editedAt = seconds()
  const settings = {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
  }
  const body = metadataOf(newsletter, device.account)
  const operation = 'NotificationNewsletterUpdate'
  notifyFollowers(state, newsletter, device, {
    operation,
    what: 'on_metadata_update',
    body: { thread_metadata: body['thread_metadata'] },
    update: { settings },
  })
  return body
}

function readPicture(base64: string): Newsletter['picture'] {
  const data = Buffer.from(base64, 'base64')
  if (data.length === 0) return undefined
  const isJpeg = data[0] === 0xff && data[1] === 0xd8
  if (!isJpeg || data.length > MAX_PICTURE_BYTES) throw refusal(406, 'not-acceptable')
  return { id: String(randomInt(1e9)), data }
}

/** The real answer is not known from any client; the shape is that of the network's other lists. */
function subscribers(state: NetworkState, device: Device, { newsletter_id }: Variables): unknown {
  const { jid, followers } = administered(state, device, newsletter_id, ['OWNER', 'ADMIN'])
  const edges = [...followers].map(([{ lid, name }, role]) => ({
    role,
    node: { id: lid, display_name: name },
  }))
  return { id: jid, subscribers: { edges } }
}

function adminCount(state: NetworkState, device: Device, { newsletter_id }: Variables): unknown {
  const { jid, followers } = administered(state, device, newsletter_id, ['OWNER', 'ADMIN'])
  const admins = [...followers.values()].filter((role) => role !== 'SUBSCRIBER')
  return { id: jid, admin_count: admins.length }
}

/** The former owner becomes an admin. */
function changeOwner(state: NetworkState, device: Device, { newsletter_id, user_id }: Variables): unknown {
  const newsletter = administered(state, device, newsletter_id, ['OWNER'])
  const owner = follower(state, newsletter, user_id)
  if (owner === device.account) throw refusal(409, 'is the owner')
  newsletter.followers.set(device.account, 'ADMIN')
  newsletter.followers.set(owner, 'OWNER')
  const operation = 'NotificationNewsletterOwnerUpdate'
  notifyFollowers(state, newsletter, device, {
    operation,
    what: 'owner_update',
    body: { user: { id: owner.lid } },
    update: { user: owner.lid },
  })
  return { id: newsletter.jid }
}

/** The owner demotes an admin, or an admin steps down. */
function demote(state: NetworkState, device: Device, { newsletter_id, user_id }: Variables): unknown {
  const newsletter = administered(state, device, newsletter_id, ['OWNER', 'ADMIN'])
  const admin = follower(state, newsletter, user_id)
  const isOwner = newsletter.followers.get(device.account) === 'OWNER'
  if (!isOwner && admin !== device.account) throw refusal(403, 'forbidden')
  if (newsletter.followers.get(admin) !== 'ADMIN') throw refusal(400, 'not an admin')
  newsletter.followers.set(admin, 'SUBSCRIBER')
  const operation = 'NotificationNewsletterAdminDemote'
  notifyFollowers(state, newsletter, device, {
    operation,
    what: 'admin_demote',
    body: { user: { id: admin.lid } },
    update: { user: admin.lid },
  })
  return { id: newsletter.jid }
}

function remove(state: NetworkState, device: Device, { newsletter_id }: Variables): unknown {
  const newsletter = administered(state, device, newsletter_id, ['OWNER'])
  state.newsletters.remove(newsletter)
  const gone = { type: 'DELETED' }
  notifyFollowers(state, newsletter, device, {
    operation: 'NotificationNewsletterStateChange',
    what: 'on_state_change',
    body: { is_requestor: false, state: gone },
  })
  return { id: newsletter.jid, state: gone }
}

function administered(
  state: NetworkState,
  { account }: Device,
  jid: string | undefined,
  roles: readonly NewsletterRole[],
): Newsletter {
  const newsletter = state.newsletters.get(jid ?? '')
  const role = newsletter.followers.get(account)
  if (!role || !roles.includes(role)) throw refusal(403, 'forbidden')
  return newsletter
}

function follower(state: NetworkState, { followers }: Newsletter, jid: string | undefined): AccountState {
  const account = state.directory.find(jid ?? '')
  if (!account || !followers.has(account)) throw refusal(404, 'not a follower')
  return account
}
