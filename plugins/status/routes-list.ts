import type { AnyMessageContent } from '@whiskeysockets/baileys'
import { Done, digits, Jid, LENGTHS, Phone } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { type AudienceParts, audienceOf } from './audience.ts'
import type { Post, Posts } from './posts.ts'
import { receivedPosts, STATUS } from './received.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'sender' | 'markRead'> & AudienceParts & { posts: Posts }

const MAX_LIMIT = 500

const Person = {
  JID: T.String({ description: 'Can be used as Phone' }),
  Phone: T.String({ description: 'Phone number, digits only; empty if unknown' }),
}
const Posted = {
  Id: T.String(),
  Timestamp: T.String({ description: 'When it was posted, RFC 3339' }),
  Type: T.String({ description: 'text, image, video or audio' }),
  Text: T.String({ description: 'Text or caption' }),
  Recipients: T.Integer({
    description:
      'Number of people to whom it was sent; 0 if another device has posted it, which does not tell',
  }),
}
const Target = T.String({ minLength: 1, maxLength: LENGTHS.id, format: 'id', description: 'Id of the post' })
const example = { Id: '3EB0F4A1C2D3E4F5A6B7D0' }

/** Posts of the last 24 hours: those of others, the own ones with their viewers, and what can be done with them. */
export const listRoutes = <D extends Deps>(r: RouteBuilder<D>) => {
  const mute = (path: string, isMuted: boolean, summary: string, Details: string) =>
    r.post(path, {
      leaves: [],
      isIdempotent: true,
      summary,
      description: 'On all devices of the account; nobody else sees it. Their posts are received as before.',
      example: { Phone: '5511999999999' },
      body: T.Object({ Phone }),
      response: Done,
      async handle({ body, session }, { targets }) {
        const jid = await targets.resolveUser(session, body.Phone)
        const lid = Jid.isLid(jid) ? jid : await session.socket.altJid(jid)
        await session.socket.modify({ statusMute: isMuted }, lid || jid)
        return { Details }
      },
    })

  return [
    r.get('/status/received', {
      summary: "List the status posts of the account's contacts of the last 24 hours, newest first",
      description:
        'From the event log, so those that the session has received; deleted ones are left out. `Message` is the content, as in the event `Message`.',
      access: 'token',
      scope: 'read',
      isFiltered: true,
      example: { limit: '50' },
      body: T.Object({
        from: T.Optional(
          T.String({
            minLength: 1,
            maxLength: LENGTHS.id,
            format: 'phone',
            names: 'author',
            description: 'Only those of this person: number or JID',
          }),
        ),
        before: digits('`Before` of the previous page; the newest when absent'),
        limit: digits(`Page size, at most ${MAX_LIMIT}; 100 when absent; a page has at most a megabyte`, 4),
      }),
      response: T.Object({
        Posts: T.Array(
          T.Object({
            Id: T.String(),
            ...Person,
            Name: T.String(),
            Timestamp: T.String({ description: 'When it was posted, RFC 3339' }),
            Type: T.String({ description: 'For example text, image, video or voice' }),
            Text: T.String({ description: 'Text or caption' }),
            Seen: T.Boolean({ description: 'Whether it was seen on any device of the account' }),
            Message: T.Object({}, { additionalProperties: true }),
          }),
        ),
        Before: T.Integer({ description: 'Pass it as `before` to get the next page; 0 if there is none' }),
      }),
      async handle({ body, session, viewer }, { events, posts, targets, db }) {
        const jid = body.from && targets.toUser(body.from)
        const from = jid
          ? [jid, ...[await session.socket?.knownAlt(jid)].filter((one) => one !== undefined)]
          : undefined
        const limit = Math.min(Number(body.limit ?? 100) || 1, MAX_LIMIT)
        const before = Number(body.before ?? Number.MAX_SAFE_INTEGER)
        const query = { session: session.id, viewer, before, limit, now: db.now(), from }
        const { posts: found, next } = await receivedPosts(events, query)
        const seen = await posts.seenHere(
          session.id,
          found.map(({ message }) => message.id),
        )
        return {
          Posts: found.map(({ message, content }) => ({
            Id: message.id,
            JID: message.from.jid,
            Phone: message.from.phone,
            Name: message.from.name,
            Timestamp: message.time,
            Type: message.type,
            Text: message.text,
            Seen: seen.has(message.id),
            Message: content,
          })),
          Before: next,
        }
      },
    }),
    r.post('/status/read', {
      leaves: ['recipient'],
      isIdempotent: true,
      summary: 'Mark status posts as seen',
      description:
        'Their author sees it unless read receipts are off. Posts that are not stored here need `Sender`; those that are not known are listed in `Skipped`.',
      example: { Id: ['3A1B2C3D4E5F60718260'] },
      body: T.Object({
        Id: T.Array(T.String({ minLength: 1, maxLength: LENGTHS.id, format: 'id' }), {
          minItems: 1,
          maxItems: 1000,
          description: 'Ids of the posts',
        }),
        Sender: T.Optional(
          T.String({
            maxLength: LENGTHS.id,
            format: 'phone',
            names: 'author',
            leaves: 'recipient',
            description: 'Author of the posts, if they are not stored here',
          }),
        ),
      }),
      errors: ['MESSAGE_UNKNOWN'],
      response: T.Object({
        Details: T.String(),
        Skipped: T.Optional(
          T.Array(T.Object({ Id: T.String(), Reason: T.String() }), { description: 'Absent if none' }),
        ),
      }),
      async handle({ body, session, viewer }, { markRead, targets }) {
        const author = body.Sender && (await targets.resolveUser(session, body.Sender, 'Sender'))
        const { skipped } = await markRead({ session, viewer }, { chat: STATUS, ids: body.Id, author })
        return { Details: 'Status seen', ...(skipped.length > 0 ? { Skipped: [...skipped] } : {}) }
      },
    }),
    mute('/status/mute', true, "Mute a contact's status posts", 'Status muted'),
    mute('/status/unmute', false, "Unmute a contact's status posts", 'Status unmuted'),
    r.get('/status/posted', {
      summary: 'List the own status posts of the last 24 hours, newest first',
      description: 'With the number of people who have seen them; deleted ones are left out.',
      access: 'token',
      scope: 'read',
      response: T.Object({ Posts: T.Array(T.Object({ ...Posted, Views: T.Integer() })) }),
      async handle({ session }, { posts }) {
        const shown = await posts.shown(session.id)
        const counted = shown.map(async (post) => ({
          ...toPosted(post, session.jid),
          Views: (await posts.views(session.id, post.id)).length,
        }))
        return { Posts: await Promise.all(counted) }
      },
    }),
    r.get('/status/posted/:id', {
      summary: 'Read who has seen an own status post, and to whom it was sent',
      description:
        'Of the last 24 hours. People who have switched off read receipts are not told by WhatsApp. A key that is limited to chats reads a post that was sent to one of them, and only about them.',
      access: 'token',
      scope: 'read',
      isFiltered: true,
      params: { id: example.Id },
      chain: { uses: { id: 'statusPost' } },
      errors: ['MESSAGE_UNKNOWN'],
      response: T.Object({
        ...Posted,
        Audience: T.Array(T.String(), { description: 'JIDs of the recipients' }),
        Viewers: T.Array(T.Object({ ...Person, Timestamp: T.String() })),
      }),
      async handle({ params: { id = '' }, session, viewer }, { posts }) {
        const post = await posts.find(session.id, id)
        const seen = (jid: string): Promise<boolean> => viewer.seesChat(session.id, jid)
        const audience = post ? await filtered(recipientsOf(post, session.jid), seen) : []
        // A key limited to chats knows the posts that were sent to them.
        if (!post || (viewer.isLimited && audience.length === 0)) throw gatewayError('MESSAGE_UNKNOWN')
        const views = await posts.views(session.id, id)
        return {
          ...toPosted(post, session.jid),
          Recipients: audience.length,
          Audience: audience,
          Viewers: (await filtered(views, ({ jid }) => seen(jid))).map(({ jid, alt, time }) => ({
            JID: jid,
            Phone: numberIn(jid) || numberIn(alt),
            Timestamp: time,
          })),
        }
      },
    }),
    r.post('/status/delete', {
      leaves: ['recipient'],
      isDestructive: true,
      summary: 'Delete an own status post for everyone',
      chain: { uses: { Id: 'statusPost' } },
      description:
        'For all to whom it was sent. Of a post of another device only that device knows them: it is deleted for those who are allowed to see posts now.',
      example,
      body: T.Object({ Id: { ...Target, aliases: ['MessageId'] } }),
      errors: ['MESSAGE_UNKNOWN'],
      response: T.Object({ Details: T.String(), Id: T.String(), Timestamp: T.String() }),
      async handle({ body, session, viewer, header, traceparent }, { sender, posts, ...parts }) {
        const { Id: id } = body
        const post = await posts.find(session.id, id)
        if (!post) throw gatewayError('MESSAGE_UNKNOWN')
        const audience = post.audience ? [...post.audience] : (await audienceOf(session, {}, parts)).jids
        const request = { session, viewer, header, traceparent, body: { Phone: STATUS, Target: id } }
        const content = (): AnyMessageContent => ({ delete: { remoteJid: STATUS, id, fromMe: true } })
        return sender.send('/status/delete', request, content, {
          chat: STATUS,
          audience,
          answer: ({ Timestamp }) => ({ Details: 'Deleted', Id: id, Timestamp }),
        })
      },
    }),
  ]
}

function toPosted(post: Post, own: string) {
  return {
    Id: post.id,
    Timestamp: new Date(post.posted).toISOString(),
    Type: post.type,
    Text: post.text,
    Recipients: recipientsOf(post, own).length,
  }
}

/** Without the account itself, whose phone shows it too. */
function recipientsOf({ audience = [] }: Post, own: string): string[] {
  return audience.filter((jid) => jid !== own)
}

async function filtered<E>(all: readonly E[], isKept: (one: E) => Promise<boolean>): Promise<E[]> {
  const kept = await Promise.all(all.map(isKept))
  return all.filter((_, at) => kept[at])
}

function numberIn(jid: string): string {
  return Jid.isPhone(jid) ? (jid.split('@')[0] ?? '') : ''
}
