/** The step of the build after the bundle: `dist` of each package of the workspace, with wamux and its dependencies outside. */
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

interface Manifest {
  readonly workspaces: readonly string[]
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly bin?: Readonly<Record<string, string>>
}

const read = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

for (const folder of read('.').workspaces) {
  const { exports, bin = {} } = read(folder)
  const files = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : entry.default))
  const from = resolve('build', folder)
  const to = resolve(folder, 'dist')
  // For browsers as well.
  const isClient = folder === 'plugins/docs/clients/typescript'
  rmSync(to, { recursive: true, force: true })
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
  const declarations = resolve('dist', folder)
  if (!existsSync(declarations)) continue
  cpSync(declarations, to, { recursive: true })
  rmSync(declarations, { recursive: true })
}
