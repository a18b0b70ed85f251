import { asFunction, definePlugin } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { errors } from './errors.ts'
import { createSignInCodes, type SignInCodes } from './login/codes.ts'
import { findLogin } from './login/find.ts'
import { hideTokens } from './login/hide-tokens.ts'
import { createLogins } from './login/logins.ts'
import { routes as loginRoutes } from './login/routes.ts'
import { migrations } from './migrations.ts'
import { createPages } from './pages.ts'
import { routes } from './routes.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    signInCodes: SignInCodes
  }
}

/** The pages with which an operator sees and runs the gateway. They use the public interface alone. */
export default definePlugin({
  name: 'dashboard',
  version: '0.1.0',
  api: '^1.3.0',
  config: ConfigSchema,
  errors,
  wants: ['publicAddress'],
  provides: ['signInCodes'],
  migrations,
  services: () => ({
    logins: asFunction(createLogins).singleton(),
    signInCodes: asFunction(createSignInCodes).singleton(),
    pages: asFunction(createPages).singleton(),
  }),
  routes: (r) => [...loginRoutes(r), ...routes(r)],
  login: findLogin,
  // Outside those that answer in place of a handler.
  before: ['audit', 'cluster'],
  around: (call, next) => hideTokens(call, next),
  setup: ({ logins }) => logins.start(),
  close: ({ logins }) => logins.stop(),
})
