import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../../config/build/port.ts'
import { buildOnce } from '../support/run/build.ts'
import { type Place, run } from './commands.ts'

/** wamux as others get it: built, packed, and on the path as after `npm install --global`. */
export interface Packed extends Place {
  /** Everything that was made for it; to be removed. */
  readonly home: string
  readonly tarball: string
  /** Of the packages that are installed beside it, by name. */
  readonly tarballs: Readonly<Record<string, string>>
  /** Where nothing lies yet; `cwd` of the commands. */
  readonly cwd: string
  readonly port: number
}

const MODULES = resolve('node_modules')

export async function packWamux(): Promise<Packed> {
  const home = mkdtempSync(join(tmpdir(), 'wamux-kit-'))
  buildOnce()
  const pack = 'npm pack --ignore-scripts --include-workspace-root --workspaces'
  await run(`${pack} --pack-destination ${home}`, { cwd: '.', env: process.env })
  const { version, workspaces } = manifestOf('.')
  const names = (workspaces ?? []).map((folder) => manifestOf(folder).name)
  const tarballs = Object.fromEntries(
    names.map((name) => [name, join(home, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)]),
  )
  const tarball = join(home, `wamux-${version}.tgz`)
  const global = join(home, 'prefix', 'lib', 'node_modules')
  const cwd = join(home, 'empty')
  for (const folder of [global, join(home, 'prefix', 'bin'), cwd]) mkdirSync(folder, { recursive: true })
  await run(`tar xzf ${tarball} -C ${global} && mv ${global}/package ${global}/wamux`, {
    cwd: home,
    env: process.env,
  })
  symlinkSync(MODULES, join(global, 'wamux', 'node_modules'))
  const main = join(global, 'wamux', 'dist', 'config', 'cli', 'main.js')
  await run(`chmod +x ${main} && ln -s ${main} ${home}/prefix/bin/wamux`, { cwd: home, env: process.env })
  const port = await freePort()
  // Only what a stranger's shell has: nothing of this test run may reach the commands.
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    ...networkOf(process.env),
    WAMUX_PORT: String(port),
    npm_config_prefix: join(home, 'prefix'),
    npm_config_prefer_offline: 'true',
    // A registry that now and then leaves a request unanswered is asked again soon.
    npm_config_fetch_timeout: '10000',
    npm_config_fetch_retries: '6',
    npm_config_fetch_retry_mintimeout: '500',
    npm_config_fetch_retry_maxtimeout: '2000',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  }
  return { home, tarball, tarballs, cwd, port, env }
}

/** How this machine reaches its registry. */
function networkOf(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => /^NODE_EXTRA_CA_CERTS$|_proxy$/i.test(name)),
  )
}

/** What a registry would do: gives a package the packed ones in place of the versions that it asks for. */
export function useTarballs(folder: string, { tarball, tarballs }: Packed): void {
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { devDependencies: Record<string, string> }
  const packed = { wamux: tarball, ...tarballs }
  for (const name of Object.keys(manifest.devDependencies))
    if (name in packed) manifest.devDependencies[name] = `file:${packed[name as keyof typeof packed]}`
  writeFileSync(file, JSON.stringify(manifest))
}

function manifestOf(folder: string): { name: string; version: string; workspaces?: string[] } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** Its native part as this run's own installation built it: compiling it again takes a minute. */
export function lendSqlite(folder: string): void {
  const build = join('sqlite3', 'build')
  cpSync(join(MODULES, build), join(folder, 'node_modules', build), { recursive: true })
}
