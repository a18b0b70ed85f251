import { execFileSync } from 'node:child_process'
import { basename, join, parse, resolve } from 'node:path'
import { buildSync } from 'esbuild'
import { buildWamux } from '../../../config/build/build.ts'
import { isWhole } from './whole.ts'

/** The variable that says that `dist` is what the source is. */
export const BUILT = 'WAMUX_TEST_BUILT'

/**
 * Builds wamux once for all tests that start it or pack it: a process of the build is up in half the time. Types are checked
 * elsewhere; only the packed package needs its declarations, which is tested in the whole run.
 */
export function buildOnce(): void {
  if (process.env[BUILT] === 'yes') return
  // Types of the client, and documents of the package.
  if (isWhole) execFileSync('npm', ['run', '--silent', 'generate'], { stdio: 'inherit' })
  buildWamux({ declarations: isWhole ? 'written' : 'none' })
  process.env[BUILT] = 'yes'
}

/** A module as JavaScript, for processes of the build: a loader of TypeScript would double their start, and be measured with them. */
export function compile(source: string): string {
  const { dir, name } = parse(source)
  const outdir = resolve('dist', 'test', basename(dir), name)
  buildSync({
    entryPoints: [source],
    outdir,
    bundle: true,
    packages: 'external',
    // What is imported on demand stays so: wamux patches Baileys before it loads it.
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  })
  return join(outdir, `${name}.js`)
}
