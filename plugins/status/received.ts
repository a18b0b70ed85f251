import type { Events, GatewayEvents, LogEvent, Viewer } from 'wamux/plugin'
import { DAY_MS } from './posts.ts'

export const STATUS = 'status@broadcast'

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

/** The posts of others of the last day, from the event log, newest first; deleted ones are left out. */
export async function receivedPosts(
  events: Pick<Events, 'before' | 'lane'>,
  query: Query,
): Promise<ReceivedPost[]> {
  const { session, viewer, limit, now, from } = query
  const filter = { session, lane: events.lane(session, STATUS), types: ['Message'] }
  const deleted = new Set<string>()
  const found: ReceivedPost[] = []
  let seq = Number.MAX_SAFE_INTEGER
  for (let read = 0; read < MAX_READ && found.length < limit; read += PAGE) {
    const lines = await events.before(seq, PAGE, filter)
    for (const line of lines) {
      const post = postOf(line, deleted)
      const { lid, jid, phone } = post?.message.from ?? {}
      const names = [jid, lid, `${phone}@s.whatsapp.net`]
      if (!post || found.length === limit || Date.parse(post.message.time) <= now - DAY_MS) continue
      if (from && !from.some((one) => names.includes(one))) continue
      if (await viewer.seesChat(session, post.message.from.jid)) found.push(post)
    }
    const last = lines.at(-1)
    // A post that was delivered late has its own time, but others logged before it may be newer.
    if (!last || lines.length < PAGE || (last.logged ?? 0) < now - DAY_MS) break
    seq = last.seq
  }
  return found
}

/** Revocations come after their posts, so they are read first. */
function postOf({ body }: LogEvent, deleted: Set<string>): ReceivedPost | undefined {
  const { message, event } = body as unknown as GatewayEvents['Message']
  if (message.isFromMe) return undefined
  const author = message.from.lid || message.from.jid
  if (message.type === 'revoke') deleted.add(`${author} ${message.targetId}`)
  if (NO_POSTS.has(message.type) || deleted.has(`${author} ${message.id}`)) return undefined
  return { message, content: event['Message'] as Record<string, unknown> }
}
