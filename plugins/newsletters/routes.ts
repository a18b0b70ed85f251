import { type GatewayServices, type Kernel, pageOf, type RouteBuilder, T } from 'wamux/plugin'
import { codeOf, Invite } from './invite.ts'
import type { Joins } from './joins.ts'
import type { LiveUpdates } from './live-updates.ts'
import { Metadata } from './metadata.ts'
import { Post, type PostReaders } from './posts.ts'
import { infoOf, invited, messagesOf, subscribed } from './requests.ts'

type Deps = Kernel<unknown> &
  PostReaders &
  Pick<GatewayServices, 'targets'> & { liveUpdates: LiveUpdates; joins: Joins }

export const JID = T.String({
  minLength: 1,
  format: 'id',
  names: 'newsletter',
  aliases: ['NewsletterJID', 'Newsletter', 'Phone', 'Chat'],
  description: 'JID of the newsletter',
  examples: ['120363144038483540@newsletter'],
})

export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/newsletter/create', {
    ignoresUnknown: true,
    leaves: ['group'],
    summary: 'Create a newsletter',
    description: 'The account becomes its owner.',
    example: { Name: 'Bakery news', Description: 'What we bake today' },
    body: T.Object({
      Name: T.String({ minLength: 1, maxLength: 100 }),
      Description: T.Optional(T.String({ maxLength: 2048 })),
    }),
    response: Metadata,
    handle: ({ body, session }, { joins }) => joins.create(session, body.Name, body.Description),
  }),
  r.get('/newsletter/list', {
    ignoresUnknown: true,
    summary: 'List the newsletters that the account follows or owns',
    description: 'With name, description, number of followers and the own role in each.',
    response: T.Object({ Newsletter: T.Array(Metadata) }),
    handle: async ({ session }) => ({ Newsletter: await subscribed(session) }),
  }),
  r.post('/newsletter/info', {
    ignoresUnknown: true,
    summary: 'One newsletter',
    description: 'Name, description, picture, number of followers and your own role.',
    example: { JID: '120363171234567890@newsletter' },
    scope: 'read',
    body: T.Object({ JID }),
    response: Metadata,
    handle: ({ body, session }, { targets }) => infoOf(session, targets.toNewsletter(body.JID)),
  }),
  r.post('/newsletter/link', {
    ignoresUnknown: true,
    summary: 'Read a newsletter by its invite link',
    description: '`Code` is the end of the link, `Link` the whole; one of them is required.',
    example: { Code: '0029VaAbCdEfGhIjKlMnOp1Q' },
    scope: 'read',
    body: T.Object(Invite),
    response: Metadata,
    handle: ({ body, session }) => invited(session, codeOf(body)),
  }),
  r.post('/newsletter/subscribe', {
    ignoresUnknown: true,
    leaves: ['group'],
    isIdempotent: true,
    summary: 'Follow a newsletter and subscribe to its live updates',
    example: { JID: '120363171234567890@newsletter' },
    description:
      'Name the newsletter by JID, or by Code or Link. Changed counts then arrive as NewsletterLiveUpdate ' +
      'until the account leaves the newsletter.',
    body: T.Object({ JID: T.Optional(JID), ...Invite }),
    response: T.Object({ Details: T.String(), JID: T.String() }),
    async handle({ body, session }, { targets, liveUpdates, joins }) {
      const jid = body.JID ? targets.toNewsletter(body.JID) : (await invited(session, codeOf(body, 'JID'))).id
      await joins.follow(session, jid)
      await liveUpdates.start(session, jid)
      return { Details: 'Following, with live updates', JID: jid }
    },
  }),
  r.post('/newsletter/messages', {
    ignoresUnknown: true,
    summary: 'Read posts of a newsletter with their views and reactions',
    example: { JID: '120363171234567890@newsletter', Count: 10 },
    scope: 'read',
    description:
      'The newest posts, oldest first; BeforeID is the smallest MessageServerID of the previous page.',
    body: T.Object({
      JID,
      Count: T.Optional(
        T.Integer({ minimum: 0, maximum: 100, description: 'Number of posts; 20 when absent or 0' }),
      ),
      BeforeID: T.Optional(
        T.String({ format: 'id', pattern: '^\\d+$', description: 'Only posts before this MessageServerID' }),
      ),
    }),
    response: T.Object({ Messages: T.Array(Post) }),
    async handle({ body, session }, { targets, wire, messageJson }) {
      const found = await messagesOf({ wire, messageJson }, session, targets.toNewsletter(body.JID), {
        count: body.Count || 20,
        before: body.BeforeID,
      })
      const { items } = pageOf(found.toReversed(), (post) => post)
      return { Messages: items.toReversed() }
    },
  }),
]
