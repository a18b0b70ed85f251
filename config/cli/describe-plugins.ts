import { createGateway } from '../../kernel/gateway.ts'
import { createLog } from '../../kernel/logging/log.ts'
import type { Description } from '../../kernel/types/plugin.ts'
import { migrations } from '../../migrations/index.ts'
import type { LoadedConfig } from '../load.ts'
import { VERSION } from './package.ts'

/** Checks the plugins without starting them; throws START_FAILED with all faults. */
export function describePlugins(loaded: LoadedConfig): Description['plugins'] {
  return describeGateway(loaded).plugins
}

/** The same, including the parts that the gateway itself adds. */
export function describeGateway({ config, plugins }: LoadedConfig): Description {
  const log = createLog({ level: 'silent' })
  const { dataDir } = config
  return createGateway({ plugins, migrations, version: VERSION, log, dataDir, keys: '' }).describe()
}
