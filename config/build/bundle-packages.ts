/** The build step after the bundle: `dist` of each package of the workspace, with wamux and its dependencies outside. */
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

interface Manifest {
  readonly workspaces: readonly string[]
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly bin?: Readonly<Record<string, string>>
}

const read = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** The folder of the compiled modules, of which this is one. */
const MODULES = resolve(import.meta.dirname, '../..')

for (const folder of read('.').workspaces) {
  const { exports, bin = {} } = read(folder)
  const files = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : entry.default))
  const from = join(MODULES, folder)
  const to = join(MODULES, '..', folder, 'dist')
  // For browsers as well.
  const isClient = folder === 'plugins/docs/clients/typescript'
  await build({
    entryPoints: [...files, ...Object.values(bin)].map((file) => join(from, file.replace('./dist/', ''))),
    outbase: from,
    outdir: to,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: isClient ? 'neutral' : 'node',
    format: 'esm',
    target: isClient ? 'es2022' : 'node20',
    charset: 'ascii',
    minifyWhitespace: true,
    legalComments: 'none',
  })
  const declarations = join(MODULES, '../dist', folder)
  if (!existsSync(declarations)) continue
  cpSync(declarations, to, { recursive: true })
  rmSync(declarations, { recursive: true })
}
