import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** wamux as it is installed: what `npm run build` made. Types come from the source; both are the same. */
export const { loadConfig } = await built<typeof import('../../config/load.ts')>('config/load')
export const { createGateway } = await built<typeof import('../../kernel/gateway.ts')>('kernel/gateway')
export const { createLog } = await built<typeof import('../../kernel/logging/log.ts')>('kernel/logging/log')
export const { openDatabase } = await built<typeof import('../../kernel/db/open.ts')>('kernel/db/open')
export const sdk = await built<typeof import('../../kernel/plugin.ts')>('kernel/plugin')
export const { openKeyring } =
  await built<typeof import('../../kernel/vault/keyring.ts')>('kernel/vault/keyring')
export const { createVault } = await built<typeof import('../../kernel/vault/vault.ts')>('kernel/vault/vault')
export const { migrations } = await built<typeof import('../../migrations/index.ts')>('migrations/index')

function built<M>(path: string): Promise<M> {
  return import(pathToFileURL(resolve('dist', `${path}.js`)).href)
}
