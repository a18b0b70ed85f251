import { asFunction, definePlugin } from 'wamux/plugin'
import { authenticate } from './authenticate.ts'
import { errors } from './errors.ts'
import { issuesOf } from './issues.ts'
import { type AccessKeyStore, createKeyStore } from './key-store.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    keys: Pick<AccessKeyStore, 'revokeOf' | 'isValid'>
  }
}

/** Keys with limited rights, in addition to session tokens. */
export default definePlugin({
  name: 'keys',
  version: '0.1.0',
  api: '^1.0.0',
  wants: ['ownership', 'targets'],
  provides: ['keys'],
  errors,
  migrations,
  services: () => ({
    keyStore: asFunction(createKeyStore)
      .singleton()
      .disposer((service) => service.stop()),
    keys: asFunction(({ keyStore }: { keyStore: AccessKeyStore }) => keyStore).singleton(),
  }),
  routes,
  contributes: {
    sessionKeys: ({ keys }) => keys,
    issues: issuesOf,
    authenticate: (deps) => (credentials, route) => authenticate(credentials, route, deps),
  },
  setup: async ({ keyStore }) => keyStore.start(),
})
