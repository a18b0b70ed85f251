/** The step of the build that makes the pages of the dashboard: `node web.js dist/dashboard`. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { argv } from 'node:process'
import { build } from 'vite'

const [, , folder = 'build/dashboard'] = argv
const target = resolve(folder)
// Beside it, and then renamed: another process may read it, or build it too.
const made = `${target}.${process.pid}`
mkdirSync(made, { recursive: true })
await build({
  configFile: false,
  root: resolve('plugins/dashboard/web'),
  base: './',
  logLevel: 'warn',
  publicDir: false,
  cacheDir: resolve('build/vite'),
  resolve: { alias: { 'wamux/client': resolve('config/client/index.ts') } },
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
if (existsSync(target)) renameSync(target, `${made}.old`)
renameSync(made, target)
rmSync(`${made}.old`, { recursive: true, force: true })
