import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, children } from 'wamux/messaging'
import { type GatewayServices, type Static, T } from 'wamux/plugin'

export type PostReaders = Pick<GatewayServices, 'wire' | 'messageJson'>

export const Post = T.Object(
  {
    MessageServerID: T.Integer({ description: 'Number within the newsletter; BeforeID of the next page' }),
    MessageID: T.String(),
    Type: T.String({ description: 'text, media, poll …' }),
    Timestamp: T.String({ description: 'RFC 3339; empty if the network omits it' }),
    ViewsCount: T.Integer(),
    ReactionCounts: T.Record(T.String(), T.Integer()),
    Message: T.Union([T.Null(), T.Record(T.String(), T.Unknown())], {
      description: 'The content; null if only counts changed',
    }),
  },
  { title: 'NewsletterPost' },
)

/** All `message` descendants of a node, in order. */
export function toPosts(readers: PostReaders, node: BinaryNode | undefined): Static<typeof Post>[] {
  return children(node)
    .filter(({ tag }) => tag === 'message')
    .map((message) => toPost(readers, message))
}

function toPost({ wire, messageJson }: PostReaders, message: BinaryNode): Static<typeof Post> {
  const { attrs } = message
  const plain = child(message, 'plaintext')?.content
  const counts = children(child(message, 'reactions')).map(
    (reaction) => [reaction.attrs['code'] ?? '', Number(reaction.attrs['count'] ?? 0)] as const,
  )
  return {
    MessageServerID: Number(attrs['server_id'] ?? 0),
    MessageID: attrs['id'] ?? '',
    Type: attrs['type'] ?? '',
    Timestamp: toTime(attrs['t']),
    ViewsCount: Number(child(message, 'views_count')?.attrs['count'] ?? 0),
    ReactionCounts: Object.fromEntries(counts),
    Message: plain instanceof Uint8Array ? messageJson(wire.proto.Message.decode(plain)) : null,
  }
}

/** Converts the seconds of a stanza to RFC 3339; '' if absent. */
export function toTime(seconds: string | undefined): string {
  return seconds ? new Date(Number(seconds) * 1000).toISOString() : ''
}
