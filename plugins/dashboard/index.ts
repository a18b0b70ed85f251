import { asFunction, definePlugin, type RouteCall } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { errors } from './errors.ts'
import { createSignInCodes, type SignInCodes } from './login/codes.ts'
import { readCookie } from './login/cookie.ts'
import { findLogin } from './login/find.ts'
import { createLogins } from './login/logins.ts'
import { routes as loginRoutes } from './login/routes.ts'
import { migrations } from './migrations.ts'
import { createPages } from './pages.ts'
import { createPluginFiles } from './plugin-pages/files.ts'
import { routes as pluginPageRoutes } from './plugin-pages/routes.ts'
import { routes } from './routes.ts'

/** Routes whose answers also contain session tokens. */
const WITH_TOKENS = new Set(['GET /session/all', 'POST /session/scanned', 'POST /session/init'])

/**
 * With a login instead of a token, answers contain none either: a page's script could send elsewhere whatever it can read.
 */
async function hideTokens(call: RouteCall, next: () => Promise<unknown>): Promise<unknown> {
  const result = await next()
  const { route, raw, hasToken } = call
  if (!WITH_TOKENS.has(`${route.method} ${route.path}`)) return result
  if (hasToken || !readCookie(raw.headers.cookie ?? '')) return result
  return Array.isArray(result) ? result.map(withoutToken) : withoutToken(result)
}

function withoutToken(row: unknown): unknown {
  return typeof row === 'object' && row !== null && 'Token' in row ? { ...row, Token: '' } : row
}

export type { DashboardGateway, DashboardPage, PagesContribution } from './plugin-pages/contract.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    signInCodes: SignInCodes
  }
}

/**
 * The pages with which an operator monitors and runs the gateway, and those of other plugins. They use only the public
 * interface.
 */
export default definePlugin({
  name: 'dashboard',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  errors,
  wants: ['publicAddress'],
  provides: ['signInCodes'],
  collects: ['pages'],
  migrations,
  services: () => ({
    logins: asFunction(createLogins)
      .singleton()
      .disposer((service) => service.stop()),
    signInCodes: asFunction(createSignInCodes).singleton(),
    pages: asFunction(createPages).singleton(),
    pluginFiles: asFunction(createPluginFiles).singleton(),
  }),
  routes: (r) => [...loginRoutes(r), ...routes(r), ...pluginPageRoutes(r)],
  contributes: {
    login: (deps) => (credentials, route) => findLogin(credentials, route, deps),
    around: () => hideTokens,
  },
  // Outside the hooks that answer instead of a handler.
  order: { before: ['audit', 'cluster'] },
  setup: ({ logins }) => logins.start(),
  ready: ({ pluginFiles }) => pluginFiles.check(),
})
