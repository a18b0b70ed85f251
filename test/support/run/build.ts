import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { basename, join, parse, resolve } from 'node:path'
import { buildSync } from 'esbuild'
import { isWhole } from './whole.ts'

/** The variable that says that `dist` is what the source is. */
export const BUILT = 'WAMUX_TEST_BUILT'

/** Writing them takes two thirds of the compiler's time; only the packed package has them, which is tested in the whole run. */
const DECLARATIONS = isWhole ? [] : ['--declaration', 'false', '--declarationDir', 'null']

/**
 * Builds wamux once for all tests that start it or pack it: a process of the build is up in half the time. Types are checked
 * elsewhere.
 */
export function buildOnce(): void {
  if (process.env[BUILT] === 'yes') return
  for (const folder of ['build', 'dist']) rmSync(folder, { recursive: true, force: true })
  // Types of the client, and documents of the package: the packed one is tested in the whole run.
  if (isWhole) execFileSync('npm', ['run', '--silent', 'generate'], { stdio: 'inherit' })
  execFileSync('npx', ['tsc', '-p', 'tsconfig.build.json', '--noCheck', ...DECLARATIONS], {
    stdio: 'inherit',
  })
  for (const step of [['write-builtin'], ['bundle'], ['bundle-packages'], ['web', 'build']]) {
    const [module, ...args] = step
    const command = ['--conditions=wamux:modules', `build/config/build/${module}.js`, ...args]
    execFileSync(process.execPath, command, { stdio: 'inherit' })
  }
  for (const pages of ['dashboard', 'link-page'])
    cpSync(`build/${pages}`, `dist/${pages}`, { recursive: true })
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
