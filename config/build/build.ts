/**
 * `npm run build`: the modules in `build`, which tests and measurements load, and the bundled packages in `dist` and the packages'
 * own `dist`. Everything is made in a folder aside first: gateways and commands may be running from the last build.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { argv, execPath, pid } from 'node:process'
import { pathToFileURL } from 'node:url'
import { publish } from './publish.ts'

export interface BuildOptions {
  /** Of the declarations, which take most of the time. Without them, those of the last build stay. */
  readonly declarations: 'checked' | 'written' | 'none'
}

const OUTPUT = 'build'
const ASIDE = /^next-(\d+)$/
/** What others write into the folders: builds and pages under way, caches, and the modules that tests compile. */
const FOREIGN = /^(next-\d+|(dashboard|link-page)\.\d+|vite|test)\//

export function buildWamux({ declarations }: BuildOptions): void {
  removeAbandoned()
  const aside = resolve(OUTPUT, `next-${pid}`)
  mkdirSync(aside, { recursive: true })
  try {
    // Modules there find `wamux/plugin` by the nearest manifest.
    copyFileSync('package.json', join(aside, 'package.json'))
    make(aside, declarations)
    const { workspaces } = JSON.parse(readFileSync('package.json', 'utf8')) as { workspaces: string[] }
    const isKept = (path: string): boolean =>
      FOREIGN.test(path) || (declarations === 'none' && path.endsWith('.d.ts'))
    for (const folder of [...workspaces.map((path) => join(path, 'dist')), 'dist', OUTPUT])
      publish(join(aside, folder), folder, isKept)
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

function make(aside: string, declarations: BuildOptions['declarations']): void {
  const [modules, dist] = [join(aside, OUTPUT), join(aside, 'dist')]
  const written =
    declarations === 'none'
      ? ['--declaration', 'false', '--declarationDir', 'null']
      : ['--declarationDir', dist]
  const checked = declarations === 'checked' ? [] : ['--noCheck']
  run(
    'node_modules/typescript/bin/tsc',
    '-p',
    'tsconfig.build.json',
    '--outDir',
    modules,
    ...written,
    ...checked,
  )
  for (const step of ['write-builtin', 'bundle', 'bundle-packages'])
    run('--conditions=wamux:modules', join(modules, 'config/build', `${step}.js`))
  // Also beside the modules, where a gateway run from source finds them.
  run(join(modules, 'config/build/web.js'), modules)
  for (const pages of ['dashboard', 'link-page'])
    cpSync(join(modules, pages), join(dist, pages), { recursive: true })
}

function run(...args: readonly string[]): void {
  execFileSync(execPath, args, { stdio: 'inherit' })
}

/** Folders of builds that were killed. */
function removeAbandoned(): void {
  mkdirSync(OUTPUT, { recursive: true })
  for (const name of readdirSync(OUTPUT)) {
    const [, builder] = ASIDE.exec(name) ?? []
    if (builder && !isRunning(Number(builder))) rmSync(join(OUTPUT, name), { recursive: true, force: true })
  }
}

function isRunning(process_: number): boolean {
  try {
    process.kill(process_, 0)
    return true
  } catch {
    return false
  }
}

if (argv[1] && import.meta.url === pathToFileURL(argv[1]).href) buildWamux({ declarations: 'checked' })
