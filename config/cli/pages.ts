import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../kernel/plugin.ts'
import { ROOT } from './package.ts'

/** In a checkout, builds the pages of the dashboard if they are missing or older than their source. */
export async function ensurePages(log: Pick<Log, 'info'>): Promise<void> {
  if (!existsSync(new URL('plugins/dashboard/web', ROOT))) return
  const { ensureWeb } = await import('../web.ts')
  if (await ensureWeb(fileURLToPath(ROOT), 'build/dashboard')) log.info('built the pages of the dashboard')
}
