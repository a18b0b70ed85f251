import { execFile } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { execArgv, execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Log } from '../../kernel/plugin.ts'
import { ROOT } from './package.ts'

const FOLDER = 'build'
/** An output file of each build. */
const MADE = ['dashboard/index.html', 'link-page/link-page.js']
const SOURCES = ['plugins/dashboard/web', 'plugins/link-page/web', 'plugins/docs/clients/typescript']

/** Builds the pages of the dashboard and of one-time links for a gateway run from source; a built gateway contains them. */
export async function ensurePages(log: Pick<Log, 'info'>): Promise<void> {
  if (!import.meta.url.endsWith('.ts')) return
  if (await buildPages(fileURLToPath(ROOT))) log.info('built the pages')
}

/** Builds them unless the output is newer than the source; returns whether it did. */
export async function buildPages(root: string): Promise<boolean> {
  const made = Math.min(...MADE.map((file) => changedAt(join(root, FOLDER, file))))
  if (made > Math.max(...SOURCES.map((source) => newest(join(root, source))))) return false
  // In a separate process: the bundler's 140 MB would otherwise stay in the gateway.
  await promisify(execFile)(execPath, [...execArgv, 'config/build/web.ts', FOLDER], { cwd: root })
  return true
}

function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return Math.max(...files.map((name) => changedAt(join(folder, name))))
}

/** 0 when it does not exist. */
function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
