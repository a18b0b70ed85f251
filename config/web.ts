/** Builds the pages of the dashboard. As a program, a step of the build: `node web.js dist/dashboard`. */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'

const SOURCES = ['plugins/dashboard/web', 'config/client']

/** Builds them into `folder`, unless what is there is newer than its source. */
export async function ensureWeb(root: string, folder: string): Promise<boolean> {
  const made = changedAt(join(root, folder, 'index.html'))
  if (made > Math.max(...SOURCES.map((source) => newest(join(root, source))))) return false
  await buildWeb(root, folder)
  return true
}

export async function buildWeb(root: string, folder: string): Promise<void> {
  const target = join(root, folder)
  // Beside it, and then renamed: another process may read it, or build it too.
  const made = `${target}.${process.pid}`
  mkdirSync(made, { recursive: true })
  // Every start in a checkout comes by here, and seldom has something to build: it would cost each 25 MB.
  const { build } = await import('vite')
  await build({
    configFile: false,
    root: join(root, 'plugins/dashboard/web'),
    base: './',
    logLevel: 'warn',
    publicDir: false,
    cacheDir: join(root, 'build/vite'),
    resolve: { alias: { 'wamux/client': join(root, 'config/client/index.ts') } },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: made,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: { polyfill: false },
      // The policy allows files alone.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 300,
    },
  })
  rmSync(`${made}.old`, { recursive: true, force: true })
  if (changedAt(target) > 0) renameSync(target, `${made}.old`)
  renameSync(made, target)
  rmSync(`${made}.old`, { recursive: true, force: true })
}

function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return Math.max(...files.map((name) => changedAt(join(folder, name))))
}

/** 0 when it does not exist. */
function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

const [, program = '', folder] = argv
if (folder && import.meta.url === pathToFileURL(resolve(program)).href) await buildWeb(resolve('.'), folder)
