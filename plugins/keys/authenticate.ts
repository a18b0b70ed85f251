import {
  type Caller,
  type Credentials,
  gatewayError,
  type Kernel,
  type Route,
  type Session,
} from 'wamux/plugin'
import { type ChatListParts, createChatList } from './chat-list.ts'
import { covers, isSecret, type Key, onlySession } from './key.ts'
import type { AccessKeyStore } from './key-store.ts'

export type AuthenticateDeps = Pick<Kernel<unknown>, 'sessions' | 'events'> &
  Pick<ChatListParts, 'targets'> & { keyStore: AccessKeyStore }

/** The caller for a key and the session of the request. */
export async function authenticate(
  { token, adminToken, header }: Credentials,
  { spec }: Route,
  deps: AuthenticateDeps,
): Promise<Caller | undefined> {
  const secret = [token, adminToken].find(isSecret)
  const found = secret && (await deps.keyStore.find(secret))
  if (!found) return undefined
  const { key, ended } = found
  const { scope } = spec
  // A key without the scope is refused for that reason, before it must name a session.
  const isForOne = spec.access !== 'admin' && spec.access !== 'known'
  const hasSession = isForOne && scope !== undefined && key.scopes.includes(scope)
  const session = hasSession ? await sessionOf(key, header('x-session'), deps) : undefined
  const list = key.chats && createChatList(key.chats, deps)
  const own = { covers: (one: Session) => covers(key, one), ended }
  return { id: `key:${key.id}`, scopes: key.scopes, session, ...own, ...list }
}

/** Id of the session in `X-Session`, or of the key's only session. */
async function sessionOf(key: Key, named: string, { sessions }: AuthenticateDeps): Promise<string> {
  const only = onlySession(key)
  if (only && !named) return only
  const isCovered = (session: Session): boolean => covers(key, session)
  if (named) {
    const session = await sessions.named(named, isCovered)
    if (!session) throw gatewayError('KEY_SESSION_FORBIDDEN')
    return session.id
  }
  const [first, ...more] = (await sessions.list()).filter(isCovered)
  if (!first || more.length > 0) throw gatewayError('KEY_SESSION_MISSING')
  return first.id
}
