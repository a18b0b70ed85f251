import closeWithGrace from 'close-with-grace'
import { migrations } from '../../migrations/index.ts'
import { adminTokenOf } from '../admin-token.ts'
import { createGateway, type Gateway } from '../gateway.ts'
import { checkMasterKeys } from '../key-check.ts'
import { openKeyring } from '../keyring.ts'
import type { Loaded } from '../load.ts'
import { createLog } from '../logging/log.ts'
import { knownKeysOf, masterKeysOf } from '../master-keys.ts'
import { secondCopies } from '../second-copies.ts'
import { releaseHeap } from './heap.ts'
import { ROOT, VERSION } from './package.ts'
import { ensurePages } from './pages.ts'

/**
 * Runs a gateway until the process is asked to end.
 *
 * @param after runs when it has stopped.
 * @param started runs when it listens.
 */
export async function serve(
  loaded: Loaded,
  after?: () => void,
  started?: (gateway: Gateway, adminToken: string) => void,
): Promise<void> {
  const { config, plugins } = loaded
  // Before anything is created: a new key would hide that the old one is missing.
  await checkMasterKeys(config, knownKeysOf(config))
  const { token, file } = adminTokenOf(config)
  const master = masterKeysOf(config)
  const log = createLog({ level: config.logLevel, mac: openKeyring(master.keys).mac })
  for (const copy of secondCopies(loaded, ROOT)) log.warn(copy)
  const { databaseUrl, databaseDirectUrl, ...rest } = config
  const gateway = createGateway({
    ...rest,
    ...(databaseUrl ? { databaseUrl } : {}),
    ...(databaseDirectUrl ? { databaseDirectUrl } : {}),
    plugins,
    migrations,
    version: VERSION,
    log,
    adminToken: token,
    keys: master.keys,
    onLockLost: () => close(),
  })
  // An unhandled rejection of one plugin must not stop the gateway: it is logged below.
  const { close } = closeWithGrace(
    { delay: 9_500, logger: false, skip: ['unhandledRejection'] },
    async ({ err }) => {
      if (err) log.fatal({ err }, 'uncaught')
      await gateway.stop()
      after?.()
    },
  )
  process.on('unhandledRejection', (err) => log.error({ err }, 'unhandled rejection'))
  await ensurePages(log)
  await gateway.start()
  started?.(gateway, token)
  releaseHeap()
  if (file) log.info({ file }, 'admin token file')
  if (master.isNew)
    log.warn(
      { file: master.file },
      'created a master key: back it up, stored data can not be read without it',
    )
}
