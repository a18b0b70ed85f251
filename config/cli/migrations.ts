import type { Plugin } from '../../kernel/types/plugin.ts'
import type { Migration } from '../../kernel/types/storage.ts'
import { migrations as kernel } from '../../migrations/index.ts'
import type { LoadedConfig } from '../load.ts'

/** Migrations by owner: the kernel and the enabled plugins. */
export function migrationsOf({ plugins }: LoadedConfig): Record<string, Readonly<Record<string, Migration>>> {
  const ofPlugins = plugins.map(({ plugin }) => {
    const { name, migrations = {} } = (plugin as Plugin).spec
    return [name, migrations] as const
  })
  return { kernel, ...Object.fromEntries(ofPlugins) }
}
