import { createGateway } from '../../kernel/gateway.ts'
import { createLog } from '../../kernel/logging/log.ts'
import type { Description } from '../../kernel/types/plugin.ts'
import { migrations } from '../../migrations/index.ts'
import type { Loaded } from '../load.ts'
import { VERSION } from './package.ts'

/** Checks the plugins without starting them; throws START_FAILED with all faults. */
export function describePlugins({ config, plugins }: Loaded): Description['plugins'] {
  const log = createLog({ level: 'silent' })
  const { dataDir } = config
  return createGateway({ plugins, migrations, version: VERSION, log, dataDir, keys: '' }).describe().plugins
}
