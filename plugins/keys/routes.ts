import { randomBytes } from 'node:crypto'
import {
  gatewayError,
  type Kernel,
  type RouteBuilder,
  type Scope,
  type Session,
  type Static,
  T,
} from 'wamux/plugin'
import type { AuthenticateDeps } from './authenticate.ts'
import { resolve } from './chat-list.ts'
import { type Key, onlySession, type SessionChoice } from './key.ts'

type Deps = Kernel<unknown> & AuthenticateDeps

const Id = T.String({ description: 'Id of the key' })
const KeyView = T.Object({
  Id,
  Name: T.String(),
  Hint: T.String({ description: 'The first characters of the key' }),
  Owner: T.String({ description: '`admin`, or the id of the session whose token created it' }),
  Scopes: T.Array(T.String()),
  AllSessions: T.Boolean(),
  Sessions: T.Array(T.String({ description: 'Ids' })),
  Label: T.String({ description: 'For the sessions with this label; empty without one' }),
  Chats: T.Array(T.String(), { description: 'JIDs of the only chats; empty for all' }),
  CreatedAt: T.String({ description: 'RFC 3339' }),
  ExpiresAt: T.String({ description: 'Empty for never' }),
  LastUse: T.String({ description: 'Empty if not used yet; stored once a minute' }),
})
const NewKeyView = T.Object({
  Key: T.String({ description: 'The key itself, shown only once' }),
  ...KeyView.properties,
})
const Options = T.Object({
  Name: T.String({ minLength: 1, maxLength: 100, description: 'Purpose of the key', examples: ['crm'] }),
  Scopes: T.Array(T.Enum(['read', 'send', 'manage', 'admin']), {
    minItems: 1,
    maxItems: 4,
    description: 'read, send, manage; and admin, for a key of the administrator for all sessions',
    examples: [['read', 'send']],
  }),
  Sessions: T.Optional(
    T.Array(T.String({ minLength: 1, format: 'name' }), {
      minItems: 1,
      maxItems: 500,
      description: 'For the administrator: ids or names of the sessions',
    }),
  ),
  AllSessions: T.Optional(
    T.Boolean({ description: 'For the administrator: all sessions, including later ones' }),
  ),
  Label: T.Optional(
    T.String({
      pattern: '^[^:]+:.*$',
      maxLength: 400,
      description: 'For the administrator: the sessions with this label, for example `customer:acme`',
    }),
  ),
  Chats: T.Optional(
    T.Array(T.String({ minLength: 1, maxLength: 256, format: 'phone' }), {
      minItems: 1,
      maxItems: 500,
      description:
        'The only chats that may be addressed and read: phone numbers, JIDs or usernames; for a key of one session',
    }),
  ),
  ExpiresIn: T.Optional(
    T.Integer({ minimum: 60, maximum: 315_360_000, description: 'Seconds; never expires when absent' }),
  ),
})

/** Creating, listing, rotating and revoking keys. No key may call these. */
export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/keys', {
    leaves: [],
    summary: 'Create a key with limited rights',
    description:
      'With the token of a session it is for that session; with the admin token for those named by one of `Sessions`, `AllSessions` and `Label`. Use it like a session token. If it is for several sessions, the header `X-Session` names one.',
    access: 'owner',
    audit: 'key.create',
    example: { Name: 'crm', Scopes: ['read', 'send'] },
    chain: { saves: { key: 'Id' } },
    body: Options,
    response: NewKeyView,
    async handle({ body, session }, deps) {
      const { Name: name, ExpiresIn } = body
      const scopes = [...new Set<Scope>(body.Scopes)]
      const sessions = await choiceOf(body, session, deps)
      if (scopes.includes('admin') && (sessions !== 'all' || body.Chats))
        throw gatewayError('FIELD_INVALID', ['Scopes', 'admin requires AllSessions, and no Chats'])
      const expiresAt = ExpiresIn === undefined ? undefined : Date.now() + ExpiresIn * 1000
      const chats = body.Chats && (await chatsOf(body.Chats, sessions, deps))
      const key = { owner: session?.id, name, scopes, sessions, chats, expiresAt }
      return toNewView(await deps.keyStore.create(key, randomBytes(6).toString('hex')))
    },
  }),
  r.get('/keys', {
    summary: 'List the keys of the session, or all for the administrator',
    description: 'Newest first, without the keys themselves.',
    access: 'owner',
    response: T.Object({ Keys: T.Array(KeyView) }),
    handle: async ({ session }, { keyStore }) => ({ Keys: (await keyStore.list(session?.id)).map(toView) }),
  }),
  r.post('/keys/:id/rotate', {
    leaves: [],
    isDestructive: true,
    summary: 'Replace a key with a new one that has the same rights',
    access: 'owner',
    audit: 'key.rotate',
    description: 'The answer has the new key, which is shown only once.',
    chain: { uses: { id: 'key' }, saves: { key: 'Id' } },
    body: T.Object({
      GraceSeconds: T.Optional(
        T.Integer({
          minimum: 0,
          maximum: 7 * 86_400,
          description: 'Seconds for which the old key stays valid; 0 when absent',
        }),
      ),
    }),
    response: NewKeyView,
    handle: async ({ body, params, session }, { keyStore }) =>
      toNewView(await keyStore.rotate(params['id'] ?? '', session?.id, (body.GraceSeconds ?? 0) * 1000)),
  }),
  r.delete('/keys/:id', {
    leaves: [],
    summary: 'Revoke a key and end the streams opened with it',
    access: 'owner',
    audit: 'key.revoke',
    description: 'It is refused from then on.',
    chain: { uses: { id: 'key' } },
    response: T.Object({ Id, Details: T.String() }),
    async handle({ params, session }, { keyStore }) {
      const { id = '' } = params
      await keyStore.revoke(id, session?.id)
      return { Id: id, Details: 'Key revoked' }
    },
  }),
]

async function choiceOf(
  { Sessions, AllSessions, Label }: Static<typeof Options>,
  own: Session | undefined,
  { sessions }: Deps,
): Promise<SessionChoice> {
  const given = Object.entries({ Sessions, AllSessions: AllSessions || undefined, Label })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
  if (own) {
    if (given[0]) throw gatewayError('FIELD_INVALID', [given[0], 'is for the administrator only'])
    return { ids: [own.id] }
  }
  if (given.length !== 1)
    throw gatewayError('FIELD_INVALID', ['Sessions', 'give one of Sessions, AllSessions and Label'])
  if (AllSessions) return 'all'
  if (Label) return { label: Label }
  const ids = new Set<string>()
  for (const named of Sessions ?? []) {
    const session = await sessions.named(named)
    if (!session) throw gatewayError('FIELD_INVALID', ['Sessions', `"${named}" is not a session`])
    ids.add(session.id)
  }
  return { ids: [...ids] }
}

async function chatsOf(given: readonly string[], choice: SessionChoice, deps: Deps): Promise<string[]> {
  const id = onlySession({ sessions: choice })
  if (!id) throw gatewayError('FIELD_INVALID', ['Chats', 'a list of chats requires a key for one session'])
  const session = await deps.sessions.byId(id)
  const jids = given.map((value) => resolve({ field: 'Chats', value, kind: 'chat' }, session, deps.targets))
  return [...new Set(await Promise.all(jids))]
}

function toNewView({ key, secret }: { key: Key; secret: string }): Static<typeof NewKeyView> {
  return { Key: secret, ...toView(key) }
}

function toView(key: Key): Static<typeof KeyView> {
  const { sessions } = key
  const time = (at: number | undefined): string => (at === undefined ? '' : new Date(at).toISOString())
  return {
    Id: key.id,
    Name: key.name,
    Hint: `${key.hint}…`,
    Owner: key.owner ?? 'admin',
    Scopes: [...key.scopes],
    AllSessions: sessions === 'all',
    Sessions: typeof sessions === 'object' && 'ids' in sessions ? [...sessions.ids] : [],
    Label: typeof sessions === 'object' && 'label' in sessions ? sessions.label : '',
    Chats: [...(key.chats ?? [])],
    CreatedAt: time(key.createdAt),
    ExpiresAt: time(key.expiresAt),
    LastUse: time(key.lastUse),
  }
}
