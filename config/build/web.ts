/** The build step that creates the pages: `node web.js build` makes `build/dashboard` and `build/link-page`. */
import { mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { argv } from 'node:process'
import { type BuildEnvironmentOptions, build } from 'vite'
import { publish } from './publish.ts'

const [, , folder = 'build'] = argv
type Bundling = NonNullable<BuildEnvironmentOptions['rolldownOptions']>

const LINK_PAGE: Bundling = {
  input: resolve('plugins/link-page/web/main.tsx'),
  // The page's HTML names these two files.
  output: { entryFileNames: 'link-page.js', assetFileNames: 'link-page[extname]' },
}
await make('dashboard', {})
await make('link-page', LINK_PAGE)

async function make(plugin: string, rolldownOptions: Bundling): Promise<void> {
  const target = resolve(folder, plugin)
  // Made next to it first: another process may be reading or building it.
  const made = `${target}.${process.pid}`
  mkdirSync(made, { recursive: true })
  await build({
    configFile: false,
    root: resolve('plugins', plugin, 'web'),
    base: './',
    logLevel: 'warn',
    publicDir: false,
    cacheDir: resolve('build/vite'),
    resolve: { alias: { '@wamux/client': resolve('plugins/docs/clients/typescript/index.ts') } },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: made,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: { polyfill: false },
      // The policy allows only files.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 300,
      rolldownOptions,
    },
  })
  publish(made, target)
  rmSync(made, { recursive: true })
}
