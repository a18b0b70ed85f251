import type { Route, Scope } from '../../../kernel/plugin.ts'
import { eventually } from '../../support/eventually.ts'
import { ADMIN } from '../../support/gateway.ts'
import { admin, type World } from '../../support/world.ts'

/** What a request proves its right with. */
export interface Credential {
  readonly name: string
  /** @param route that is called: a cookie is not used for the route that ends it */
  headers(route: Route): Record<string, string> | Promise<Record<string, string>>
}

/** A session that they are for, another one, one that is linked, and a person whom a key that is limited to chats may write to. */
export interface Whose {
  readonly session: { readonly id: string; readonly token: string }
  readonly other: { readonly id: string; readonly token: string }
  /** Id of a session. */
  readonly linked: string
  readonly chat: string
}

const SCOPES = ['read', 'send', 'manage'] as const

/** All that a request can come with, in the order of the table in kernel/docs/security.md. */
export async function credentialsOf(
  world: World,
  { session, other, linked, chat }: Whose,
): Promise<Credential[]> {
  const { gateway } = world
  const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
  const own = { 'x-session': session.id }
  const key = async (body: object): Promise<{ Key: string; Id: string }> => {
    const made = { Name: 'matrix', Scopes: [...SCOPES], Sessions: [session.id], ...body }
    return (await gateway.post('/keys', made, admin)).data
  }
  const scoped = async (scope: Scope): Promise<Credential> => {
    const { Key } = await key({ Scopes: [scope], Sessions: undefined, AllSessions: true })
    return { name: `key with \`${scope}\``, headers: () => ({ ...bearer(Key), ...own }) }
  }
  const given = (name: string, headers: Record<string, string>): Credential => ({
    name,
    headers: () => headers,
  })
  const login = async (): Promise<Record<string, string>> => {
    const dashboard = { 'x-wamux-dashboard': '1' }
    const answer = await fetch(`${gateway.url}/dashboard/login`, {
      method: 'POST',
      headers: { ...bearer(ADMIN), ...dashboard },
    })
    return { cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '', ...dashboard }
  }
  const loggedIn = await login()
  const limited = await key({ Sessions: [linked], Chats: [chat] })
  const revoked = await key({})
  await gateway.call('DELETE', `/keys/${revoked.Id}`, { headers: admin })
  const replaced = await key({})
  await gateway.post(`/keys/${replaced.Id}/rotate`, {}, admin)
  const elsewhere = await key({ Sessions: [other.id] })
  const all = await key({ Scopes: [...SCOPES, 'admin'], Sessions: undefined, AllSessions: true })
  return [
    given('none', {}),
    given('wrong token', bearer('wrong')),
    given('wrong admin token', { admintoken: 'wrong-admin-token-0123456789abcdef' }),
    given('admin token', admin),
    given('admin token with `X-Session`', { ...admin, ...own }),
    {
      name: 'login of the dashboard by the admin token',
      headers: ({ method, path }) =>
        method === 'DELETE' && path === '/dashboard/login' ? login() : loggedIn,
    },
    given('session token', bearer(session.token)),
    given('token of another session', { ...bearer(other.token), ...own }),
    await scoped('read'),
    await scoped('send'),
    await scoped('manage'),
    given('key with all scopes and `admin`', { ...bearer(all.Key), ...own }),
    given('key limited to chats', bearer(limited.Key)),
    given('key of another session', { ...bearer(elsewhere.Key), ...own }),
    given('revoked key', bearer(revoked.Key)),
    given('replaced key', bearer(replaced.Key)),
    await expired(world, await key({ ExpiresIn: 60 })),
  ]
}

/** The shortest time of a key is a minute: it is moved into the past, as if it was over. */
async function expired(world: World, { Key, Id }: { Key: string; Id: string }): Promise<Credential> {
  await world.gateway.service('keysProbe').db.transact((trx) =>
    trx('keys_keys')
      .where({ id: Id })
      .update({ expires_at: Date.now() - 1_000, changed_at: Date.now() }),
  )
  const headers = { authorization: `Bearer ${Key}` }
  await eventually(async () => {
    if ((await world.gateway.get('/events', headers)).status !== 401) throw new Error('not expired yet')
    return true
  }, 'the key has expired')
  return { name: 'expired key', headers: () => headers }
}
