import { signal } from '@preact/signals'
import { createClient, WamuxError } from '@wamux/client'
import { t } from './text.ts'

export { WamuxError } from '@wamux/client'

/** Address of the gateway, without a trailing slash. */
export const ROOT = new URL('..', document.baseURI).href.replace(/\/$/, '')

/** The cookie is valid only with this header, which pages of other sites can't set. */
export const HEADERS: Readonly<Record<string, string>> = { 'X-Wamux-Dashboard': '1' }

/** Parts shown only if the plugins with their routes run. */
export type Feature = 'chats' | 'errors' | 'issues' | 'nodes' | 'pages' | 'proxy' | 'requests' | 'settings'

export interface LoginView {
  readonly Kind: 'admin' | 'key' | 'session'
  readonly Scopes: readonly string[]
  readonly Session: string
  readonly ExpiresAt: string
  readonly Version: string
  readonly IsSandbox: boolean
  readonly Features: readonly string[]
}

/** undefined until known, null without one. */
export const login = signal<LoginView | null | undefined>(undefined)

/** Whether the gateway offers it. */
export const offers = (feature: Feature): boolean => login.value?.Features.includes(feature) ?? false

/** Whether the login has the scope. */
export const may = (scope: 'read' | 'send' | 'manage' | 'admin'): boolean =>
  login.value?.Scopes.includes(scope) ?? false

/** Whether the login has ended: a 401 may also come from a call that named no session. */
export async function checkLogin(): Promise<void> {
  const { status } = await fetch(`${ROOT}/dashboard/login`, { headers: HEADERS })
  if (status === 401) login.value = null
}

/** fetch that notices when the login has ended. */
export const call: typeof fetch = async (...request) => {
  const response = await fetch(...request)
  if (response.status === 401 && login.value) void checkLogin().catch(() => undefined)
  return response
}

/** The client of the public interface, with the rights of the login. */
export const api = createClient({ url: ROOT, headers: { ...HEADERS }, retries: 1, fetch: call })

/** Options of a call for one session: `api.get('/session/status', undefined, of(id))`. */
export function of(session: string): { headers: Record<string, string> } {
  return { headers: { 'X-Session': session } }
}

export async function readLogin(): Promise<void> {
  try {
    login.value = await api.call<LoginView>('get', '/dashboard/login')
  } catch (error) {
    if (!(error instanceof WamuxError && error.code === 401)) throw error
    login.value = null
  }
}

export async function logIn(token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` }
  login.value = await api.call<LoginView>('post', '/dashboard/login', undefined, { headers, retry: false })
}

/** The code of a sign-in link, from the fragment of the address, which no server or log sees. */
export async function spendCode(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (!code) return
  // It is spent: keep it out of the history and of bookmarks.
  history.replaceState(null, '', location.pathname + location.search)
  await api.call('post', '/dashboard/login/code', { Code: code }, { retry: false })
}

export async function logOut(): Promise<void> {
  await api.call('delete', '/dashboard/login')
  login.value = null
}

/** What to say where no gateway has answered. */
const AWAY = { NETWORK: 'shell.away', TIMEOUT: 'shell.slow', UNREADABLE: 'shell.between' } as const

/** Whether the gateway itself has not answered, as while it restarts: the same call may succeed later. */
export function isAway(error: unknown): error is WamuxError {
  return error instanceof WamuxError && error.errorCode in AWAY
}

/** The interface's text of an error, or what is wrong on the way to it. */
export function textOf(error: unknown): string {
  if (isAway(error)) return t(AWAY[error.errorCode as keyof typeof AWAY], { code: error.code })
  if (!(error instanceof Error)) return String(error)
  const details = error instanceof WamuxError && error.details ? `: ${error.details}` : ''
  return `${error.message}${details}`
}
