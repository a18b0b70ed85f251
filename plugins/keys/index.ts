import { asFunction, definePlugin } from 'wamux/plugin'
import { authenticate } from './authenticate.ts'
import { errors } from './errors.ts'
import { createKeyStore, type KeyStore } from './key-store.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    keys: Pick<KeyStore, 'revokeOf'>
  }
}

/** Keys with limited rights, beside the tokens of sessions. */
export default definePlugin({
  name: 'keys',
  version: '0.1.0',
  api: '^1.0.0',
  wants: ['targets'],
  provides: ['keys'],
  errors,
  migrations,
  services: () => ({
    keyStore: asFunction(createKeyStore).singleton(),
    keys: asFunction(({ keyStore }: { keyStore: KeyStore }) => keyStore).singleton(),
  }),
  routes,
  authenticate,
  setup: async ({ keyStore }) => keyStore.start(),
  close: ({ keyStore }) => keyStore.stop(),
})
