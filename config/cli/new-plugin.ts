import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { prefixOf } from '../../kernel/db/migrate.ts'
import { commandFailed } from '../errors.ts'
import { ROOT, VERSION } from './package.ts'
import { print } from './print.ts'

export function addNewPlugin(program: Command): void {
  program
    .command('new-plugin')
    .description('create a package for a new plugin, which compiles, lints, tests and runs')
    .argument('<name>', 'for example crm, wamux-plugin-crm or @acme/wamux-plugin-crm')
    .addHelpText('after', '\nThe package is created in a new folder wamux-plugin-<name> in the current one.')
    .action((name: string) => {
      const template = fileURLToPath(new URL('config/template', ROOT))
      const { folder, files, isKnown } = writePlugin({
        name,
        into: process.cwd(),
        template,
        version: VERSION,
      })
      print(folder, ...files.map((file) => `  ${file}`))
      print(`next: cd ${basename(folder)} && npm install && npm test && npm start`)
      if (isKnown) return
      const here = fileURLToPath(ROOT).replace(/[/\\]$/, '')
      print(
        `If no registry has wamux ${VERSION}, run this in place of npm install: npm install --save-dev ${here} ${join(here, 'plugins/sandbox')}`,
      )
    })
}

interface NewPlugin {
  /** `crm`, `wamux-plugin-crm` or `@acme/wamux-plugin-crm`. */
  name: string
  /** Parent of the new package's folder. */
  into: string
  /** Folder of the template. */
  template: string
  /** Version of this wamux. */
  version: string
}

/** Writes a package that compiles, lints, passes its tests and runs; returns its folder and files. */
function writePlugin({ name, into, template, version }: NewPlugin): {
  folder: string
  files: string[]
  /**
   * Whether the source from which npm installs this wamux is known; otherwise package.json refers to a version in a
   * registry.
   */
  isKnown: boolean
} {
  const [, scope = '', short = ''] =
    /^(@[a-z0-9][a-z0-9-]*\/)?(?:wamux-plugin-)?([a-z][a-z0-9-]*)$/.exec(name) ?? []
  if (!short || short === 'kernel') {
    const words =
      'must be lower-case letters, digits and dashes, for example "crm" or "@acme/wamux-plugin-crm"'
    throw commandFailed(`"${name}" can not be a plugin name: it ${words}`)
  }
  const folder = resolve(into, `wamux-plugin-${short}`)
  if (existsSync(folder)) {
    throw commandFailed(`${folder} exists already; choose another name, or remove it`)
  }
  const spec = specOf('wamux', ROOT, version, folder)
  const sandbox = specOf('@wamux/sandbox', ROOT, version, folder)
  const fill = (text: string): string =>
    text
      .replaceAll('^0.0.0-wamux', spec ?? `^${version}`)
      .replaceAll('^0.0.0-sandbox', sandbox ?? `^${version}`)
      .replaceAll('wamux-plugin-hello', `${scope}wamux-plugin-${short}`)
      .replaceAll('0.0.0-wamux', version)
      .replaceAll('hello_', prefixOf(short))
      .replaceAll('HELLO_', prefixOf(short).toUpperCase())
      .replaceAll('hello', short)
  const files = readdirSync(template, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(template.length + 1))
    .sort()
  const written = files.map((file) => {
    // `.template` keeps tools from treating template files as wamux's own.
    const target = join(folder, file.replace(/\.template$/, ''))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, fill(readFileSync(join(template, file), 'utf8')))
    return target.slice(folder.length + 1)
  })
  return { folder, files: written, isKnown: spec !== undefined }
}

/**
 * Where npm installed a package of wamux from, as a dependency of a package in another folder; undefined where npm has not
 * recorded it: in a global installation and in a checkout of the sources.
 *
 * @param name `wamux`, or a package that is installed beside it.
 * @param root folder of this wamux.
 * @param folder of the package that will depend on it.
 */
export function specOf(name: string, root: URL, version: string, folder: string): string | undefined {
  const modules = dirname(resolve(fileURLToPath(root)))
  if (basename(modules) !== 'node_modules') return undefined
  const { resolved } = recorded(modules, name)
  if (!resolved) return undefined
  if (isOfRegistry(resolved)) return `^${version}`
  const [scheme] = /^[a-z][a-z+]*(?=:)/.exec(resolved) ?? ['file']
  if (scheme !== 'file') return resolved
  const path = resolve(dirname(modules), resolved.replace(/^file:/, ''))
  return `file:${relative(folder, path).split(sep).join('/')}`
}

/** npm records what it has installed in this file, even without a package-lock.json. */
function recorded(modules: string, name: string): { resolved?: string } {
  try {
    const text = readFileSync(join(modules, '.package-lock.json'), 'utf8')
    const { packages } = JSON.parse(text) as { packages?: Record<string, { resolved?: string }> }
    return packages?.[`node_modules/${name}`] ?? {}
  } catch {
    return {}
  }
}

/** Registries serve tarballs under this path. */
function isOfRegistry(resolved: string): boolean {
  return /^https?:.*\/-\/[^/]+\.tgz$/.test(resolved)
}
