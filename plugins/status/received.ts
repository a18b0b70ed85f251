import { Jid } from 'wamux/messaging'
import {
  createPage,
  type Events,
  type GatewayEvents,
  type LogEvent,
  PAGE_BYTES,
  type Viewer,
} from 'wamux/plugin'
import { DAY_MS } from './posts.ts'

export const STATUS = Jid.status

type Normal = GatewayEvents['Message']['message']

/** A status post of somebody else. */
export interface ReceivedPost {
  readonly message: Normal
  /** The content, as in the event. */
  readonly content: Record<string, unknown>
}

interface Query {
  readonly session: string
  readonly viewer: Viewer
  /** Only posts logged before this seq. */
  readonly before: number
  readonly limit: number
  readonly now: number
  /** Only posts of this person, in either form of the JID. */
  readonly from?: readonly string[] | undefined
}

const PAGE = 200
/** Lines that one request reads at most: posts, revocations and reactions of a day. */
const MAX_READ = 10_000

/** Kinds of messages in the status chat that are no posts. */
const NO_POSTS: ReadonlySet<Normal['type']> = new Set(['revoke', 'reaction', 'system', 'edit'])

/**
 * The posts of others of the last day, from the event log, newest first; deleted ones are left out.
 *
 * @returns `next`: pass it as the next `before`; 0 at the end.
 */
export async function receivedPosts(
  events: Pick<Events, 'before' | 'lane'>,
  query: Query,
): Promise<{ posts: readonly ReceivedPost[]; next: number }> {
  const { session, viewer, before, limit, now, from } = query
  const filter = { session, lane: events.lane(session, STATUS), types: ['Message'], bytes: PAGE_BYTES }
  const deleted = new Set<string>()
  const page = createPage<ReceivedPost, number>(before, limit)
  // From the newest line for every page: a revocation may be newer than the pages before.
  let seq = Number.MAX_SAFE_INTEGER
  for (let read = 0; read < MAX_READ; ) {
    const lines = await events.before(seq, PAGE, filter)
    for (const line of lines) {
      const post = postOf(line, deleted)
      const { lid, jid, phone } = post?.message.from ?? {}
      const names = [jid, lid, Jid.ofPhone(phone ?? '')]
      if (!post || line.seq >= before || Date.parse(post.message.time) <= now - DAY_MS) continue
      if (from && !from.some((one) => names.includes(one))) continue
      if (!(await viewer.seesChat(session, post.message.from.jid))) continue
      if (!page.add(line.seq, post)) return { posts: page.items, next: page.cursor }
    }
    const last = lines.at(-1)
    // A post that was delivered late has its own time, but others logged before it may be newer.
    if (!last || (last.logged ?? 0) < now - DAY_MS) break
    seq = last.seq
    read += lines.length
  }
  return { posts: page.items, next: 0 }
}

/** Revocations come after their posts, so they are read first. */
function postOf({ body }: LogEvent, deleted: Set<string>): ReceivedPost | undefined {
  const { message, event } = body as unknown as GatewayEvents['Message']
  if (message.isFromMe || message.refused) return undefined
  const author = message.from.lid || message.from.jid
  if (message.type === 'revoke') deleted.add(`${author} ${message.targetId}`)
  if (NO_POSTS.has(message.type) || deleted.has(`${author} ${message.id}`)) return undefined
  return { message, content: event['Message'] as Record<string, unknown> }
}
