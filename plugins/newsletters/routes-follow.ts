import { Done, LENGTHS } from 'wamux/messaging'
import { type GatewayServices, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { react } from './administer.ts'
import { browse, type DirectoryPage, search } from './directory.ts'
import { Metadata } from './metadata.ts'
import { mute, unfollow } from './own-changes.ts'
import { JID } from './routes.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'targets'>

const example = { JID: '120363171234567890@newsletter' }
const VIEWS = ['RECOMMENDED', 'TRENDING', 'POPULAR', 'NEW'] as const
const place = {
  Limit: T.Optional(T.Integer({ minimum: 1, maximum: 100, description: 'At most so many; 20 when absent' })),
  Cursor: T.Optional(
    T.String({
      minLength: 1,
      maxLength: 2048,
      names: 'none',
      description: '`Cursor` of the previous page',
    }),
  ),
}
const Found = T.Object({
  Newsletter: T.Array(Metadata),
  Cursor: T.String({ description: 'Pass it as `Cursor` to get the next page; empty if there is none' }),
})

/** What followers do: find newsletters, leave and mute them, react to posts. */
export const followRoutes = <D extends Deps>(r: RouteBuilder<D>) => {
  const muting = (path: string, isMuted: boolean, summary: string, Details: string) =>
    r.post(path, {
      leaves: [],
      isIdempotent: true,
      summary,
      description: 'Mutes notifications of it on all devices of the account; posts are received as before.',
      example,
      body: T.Object({ JID }),
      errors: ['ITEM_UNKNOWN'],
      response: Done,
      async handle({ body, session }, { targets, events }) {
        await mute(events, session, targets.toNewsletter(body.JID), isMuted)
        return { Details }
      },
    })

  return [
    muting('/newsletter/mute', true, 'Mute a newsletter', 'Newsletter muted'),
    muting('/newsletter/unmute', false, 'Unmute a newsletter', 'Newsletter unmuted'),
    r.post('/newsletter/react', {
      leaves: ['recipient'],
      isIdempotent: true,
      summary: 'React to a post of a newsletter, or remove the reaction',
      description:
        'Posts are named by `MessageServerID` of `/newsletter/messages` or `Info.ServerID` of the event. `/message/react` is for chats.',
      example: { ...example, MessageServerID: 100, Body: '👍' },
      scope: 'send',
      body: T.Object({
        JID,
        MessageServerID: T.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'Number of the post' }),
        Body: T.String({
          maxLength: 32,
          allowEmpty: true,
          aliases: ['Reaction', 'Emoji'],
          description: 'An emoji; empty removes the reaction',
        }),
      }),
      errors: ['ITEM_UNKNOWN', 'MESSAGE_UNKNOWN'],
      response: Done,
      async handle({ body, session }, { targets }) {
        const { MessageServerID: post, Body: emoji } = body
        await react(session, targets.toNewsletter(body.JID), { post, emoji })
        return { Details: emoji ? 'Reaction sent' : 'Reaction removed' }
      },
    }),
    r.post('/newsletter/search', {
      summary: 'Search the public directory of newsletters',
      example: { Text: 'market', Limit: 10 },
      description: 'By name and description. A result has no `viewer_metadata`.',
      scope: 'read',
      body: T.Object({
        Text: T.String({ minLength: 1, maxLength: LENGTHS.line, description: 'Words to look for' }),
        ...place,
      }),
      response: Found,
      handle: async ({ body, session }) =>
        toFound(await search(session, body.Text, { limit: body.Limit ?? 20, cursor: body.Cursor })),
    }),
    r.post('/newsletter/directory', {
      summary: 'Browse the public directory of newsletters',
      example: { View: 'POPULAR', Limit: 10 },
      description: 'A result has no `viewer_metadata`.',
      scope: 'read',
      body: T.Object({
        View: T.Optional(T.Enum(VIEWS, { description: 'Which list; RECOMMENDED when absent' })),
        Countries: T.Optional(
          T.Array(T.String({ pattern: '^[A-Za-z]{2}$', maxLength: 2, names: 'none' }), {
            maxItems: 50,
            description: 'Two-letter codes, for example BR; all when absent',
          }),
        ),
        ...place,
      }),
      response: Found,
      async handle({ body, session }) {
        const { View: view = 'RECOMMENDED', Countries = [], Limit: limit = 20, Cursor: cursor } = body
        const countries = Countries.map((code) => code.toUpperCase())
        return toFound(await browse(session, { view, countries }, { limit, cursor }))
      },
    }),
    r.post('/newsletter/unfollow', {
      leaves: ['group'],
      isDestructive: true,
      summary: 'Leave a newsletter',
      description: 'Also ends its live updates. An owner cannot leave.',
      example,
      body: T.Object({ JID }),
      errors: ['ITEM_UNKNOWN'],
      response: Done,
      async handle({ body, session }, { targets, events }) {
        await unfollow(events, session, targets.toNewsletter(body.JID))
        return { Details: 'Newsletter left' }
      },
    }),
  ]
}

function toFound({ newsletters, cursor }: DirectoryPage) {
  return { Newsletter: newsletters, Cursor: cursor }
}
