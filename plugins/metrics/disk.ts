import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kernel, Metric, PluginDb } from 'wamux/plugin'

/** `wamux backup` writes it next to the database (config/cli/backup/backup.ts). */
const LAST_BACKUP = 'last-backup'

/** Disk usage of the gateway, and the time of the last backup. */
export const diskMetrics = ({ db: { read }, settings }: Pick<Kernel<unknown>, 'db' | 'settings'>) =>
  ({
    wamux_database_bytes: {
      type: 'gauge',
      help: 'Size of the database',
      collect: () => sizeOf(read),
    },
    wamux_last_backup_timestamp_seconds: {
      type: 'gauge',
      help: 'When `wamux backup` last copied the SQLite database, seconds since 1970; absent before it, and on PostgreSQL',
      async collect() {
        const mark = await stat(join(settings.dataDir, LAST_BACKUP)).catch(() => undefined)
        return mark ? [{ value: Math.round(mark.mtimeMs / 1000) }] : []
      },
    },
  }) satisfies Record<string, Metric>

async function sizeOf(read: PluginDb['read']): Promise<number> {
  const query =
    read.client.dialect === 'postgresql'
      ? read.select(read.raw('pg_database_size(current_database()) AS bytes'))
      : read
          .select(read.raw('page_count * page_size AS bytes'))
          .from(read.raw('pragma_page_count(), pragma_page_size()'))
  const [row] = (await query) as { bytes: number | string }[]
  return Number(row?.bytes)
}
