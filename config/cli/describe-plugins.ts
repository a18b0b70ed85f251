import { createGateway } from '../../kernel/gateway.ts'
import { createLog } from '../../kernel/logging/log.ts'
import type { Description } from '../../kernel/types/plugin.ts'
import { migrations } from '../../migrations/index.ts'
import type { Loaded } from '../load.ts'
import { VERSION } from './package.ts'

/** Checks the plugins without starting them; throws START_FAILED with all faults. */
export function describePlugins(loaded: Loaded): Description['plugins'] {
  return describeGateway(loaded).plugins
}

/** The same, including the parts that the gateway itself adds. */
export function describeGateway({ config, plugins }: Loaded): Description {
  const log = createLog({ level: 'silent' })
  const { dataDir } = config
  return createGateway({ plugins, migrations, version: VERSION, log, dataDir, keys: '' }).describe()
}
