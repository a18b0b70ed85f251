import { ask, child, node } from 'wamux/messaging'
import type { LiveSession, Static } from 'wamux/plugin'
import { type Metadata, toMetadata } from './metadata.ts'
import { mex } from './mex.ts'
import { type Post, type PostReaders, toPosts } from './posts.ts'

type Newsletter = Static<typeof Metadata>

/** The network's 404 means that there is no such newsletter. */
const READ = { xmlns: 'newsletter', verb: 'read the newsletter', item: 'Newsletter' }

/** The terms that an account must accept once before it may create newsletters. */
const TERMS = { id: '20601218', stage: '5' }

export async function create(session: LiveSession, name: string, description = ''): Promise<Newsletter> {
  const notice = { tag: 'notice', attrs: TERMS }
  await ask(session.socket, { xmlns: 'tos', type: 'set', content: notice, verb: 'accept the terms' })
  const input = { name, description: description || null }
  return toMetadata(await mex(session, 'create', { input }, 'create the newsletter'))
}

export async function subscribed(session: LiveSession): Promise<Newsletter[]> {
  const found = await mex(session, 'subscribed', {}, 'list newsletters')
  return (found as unknown[]).map(toMetadata)
}

export const infoOf = (session: LiveSession, jid: string) => metadata(session, 'JID', jid)
export const invited = (session: LiveSession, code: string) => metadata(session, 'INVITE', code)

export async function follow(session: LiveSession, jid: string): Promise<void> {
  await mex(session, 'follow', { newsletter_id: jid }, 'follow the newsletter')
}

/** Subscribes to changes of views and reactions. Returns the seconds that the network granted. */
export async function subscribeToUpdates(session: LiveSession, jid: string): Promise<number> {
  const reply = await ask(session.socket, {
    ...READ,
    type: 'set',
    to: jid,
    content: node('live_updates', {}),
  })
  return Number(child(reply, 'live_updates')?.attrs['duration'] ?? 0)
}

/**
 * A page of posts, paged backwards. Baileys has only the query for changed counts (newsletterFetchMessages is
 * `message_updates`).
 */
export async function messagesOf(
  readers: PostReaders,
  session: LiveSession,
  jid: string,
  page: { count: number; before: string | undefined },
): Promise<Static<typeof Post>[]> {
  const { count, before } = page
  const attrs = { type: 'jid', jid, count: String(count), ...(before ? { before } : {}) }
  const reply = await ask(session.socket, { ...READ, content: node('messages', attrs) })
  return toPosts(readers, child(reply, 'messages'))
}

async function metadata(session: LiveSession, type: 'JID' | 'INVITE', key: string): Promise<Newsletter> {
  const variables = {
    fetch_creation_time: true,
    fetch_full_image: true,
    fetch_viewer_metadata: true,
    input: { key, type },
  }
  return toMetadata(await mex(session, 'metadata', variables, 'read the newsletter'))
}
