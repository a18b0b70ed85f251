import { type EventDeclaration, T } from 'wamux/plugin'
import { Metadata } from './metadata.ts'
import { Post } from './posts.ts'

declare module 'wamux/plugin' {
  interface GatewayEvents {
    NewsletterJoin: { event: Record<string, unknown> }
    NewsletterLeave: { event: { id: string; role: string } }
    NewsletterMuteChange: { event: { id: string; mute: string } }
    NewsletterLiveUpdate: { event: { JID: string; Time: string; Messages: unknown[] } }
  }
}

const Words = T.String()

/** Posts arrive as Message, with the newsletter as Chat. */
export const events = {
  NewsletterJoin: {
    class: 'Newsletter',
    summary: 'The account followed or created a newsletter, on any of its devices',
    schema: Metadata,
  },
  NewsletterLeave: {
    class: 'Newsletter',
    summary: 'The account left a newsletter',
    schema: T.Object({ id: Words, role: Words }),
  },
  NewsletterMuteChange: {
    class: 'Newsletter',
    summary: 'A newsletter was muted (on) or unmuted (off)',
    schema: T.Object({ id: Words, mute: Words }),
  },
  NewsletterLiveUpdate: {
    class: 'Newsletter',
    summary: 'Views or reactions of posts changed, after /newsletter/subscribe',
    schema: T.Object({ JID: Words, Time: Words, Messages: T.Array(Post) }),
  },
} satisfies Record<string, EventDeclaration>
