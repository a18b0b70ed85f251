import { type Caller, type Kernel, type Session, type Static, T } from 'wamux/plugin'

export const LoginView = T.Object(
  {
    Kind: T.String({ description: '`admin`, `key` or `session`: the credential of the login' }),
    Scopes: T.Array(T.String(), { description: 'Its scopes' }),
    Session: T.String({ description: 'Id of the session whose token was used; otherwise empty' }),
    ExpiresAt: T.String({ description: 'RFC 3339' }),
    Version: T.String({ description: 'Version of the gateway' }),
    IsSandbox: T.Boolean({ description: 'The gateway runs on a local network with simulated phones' }),
    Features: T.Array(T.String(), {
      description:
        'Parts of the dashboard that need routes of other plugins, where those run: `chats`, `errors`, `issues`, `nodes`, `pages`, `proxy`, `requests`, `settings`',
    }),
  },
  { title: 'DashboardLogin' },
)

/** The routes required for each part of the dashboard. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  chats: ['/chats', '/chats/:jid/messages'],
  errors: ['/docs/:folder/:file'],
  issues: ['/issues'],
  nodes: ['/server/nodes', '/server/nodes/:id/metrics'],
  pages: ['/plugins'],
  proxy: ['/session/proxy'],
  requests: ['/session/requests'],
  settings: ['/session/settings', '/session/settings/:plugin'],
}

export function viewOf(
  { session, caller }: { session: Session | undefined; caller: Caller | undefined },
  expiresAt: number,
  { settings, describe }: Pick<Kernel<unknown>, 'settings' | 'describe'>,
): Static<typeof LoginView> {
  const running = describe().plugins.filter(({ state }) => state === 'ready')
  const offered = new Set(
    running.flatMap(({ routes }) => routes.filter(({ method }) => method === 'GET').map(({ path }) => path)),
  )
  const Kind = caller ? 'key' : session ? 'session' : 'admin'
  const all = ['read', 'send', 'manage', 'owner', ...(session ? [] : ['admin'])]
  return {
    Kind,
    Scopes: caller ? [...caller.scopes] : all,
    Session: session?.id ?? '',
    ExpiresAt: new Date(expiresAt).toISOString(),
    Version: settings.version,
    IsSandbox: running.some(({ name }) => name === 'sandbox'),
    Features: Object.keys(NEEDED).filter((name) => NEEDED[name]?.every((path) => offered.has(path))),
  }
}
