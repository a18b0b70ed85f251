import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { prefixOf } from '../../kernel/db/migrate.ts'
import { gatewayError } from '../../kernel/errors.ts'
import { ROOT, VERSION } from './package.ts'

export function addNewPlugin(program: Command): void {
  program
    .command('new-plugin')
    .description('write a new plugin: a package of its own that compiles, lints, tests and runs')
    .argument('<name>', 'such as crm, wamux-plugin-crm or @acme/wamux-plugin-crm')
    .addHelpText('after', '\nThe package is made in a new folder wamux-plugin-<name> below the current one.')
    .action((name: string) => {
      const template = fileURLToPath(new URL('config/template', ROOT))
      const { folder, files } = writePlugin({ name, into: process.cwd(), template, version: VERSION })
      process.stdout.write(`${folder}\n${files.map((file) => `  ${file}\n`).join('')}`)
      process.stdout.write(`next: cd ${basename(folder)} && npm install && npm test && npm start\n`)
    })
}

interface NewPlugin {
  /** `crm`, `wamux-plugin-crm` or `@acme/wamux-plugin-crm`. */
  name: string
  /** Folder that the package's own folder is made in. */
  into: string
  /** Where the template lies. */
  template: string
  /** Of this wamux. */
  version: string
}

/** Writes a package that compiles, lints, tests green and runs as written; answers its folder and files. */
function writePlugin({ name, into, template, version }: NewPlugin): {
  folder: string
  files: string[]
} {
  const [, scope = '', short = ''] =
    /^(@[a-z0-9][a-z0-9-]*\/)?(?:wamux-plugin-)?([a-z][a-z0-9-]*)$/.exec(name) ?? []
  if (!short || short === 'kernel') {
    const words = 'must be lower-case letters, digits and dashes, such as "crm" or "@acme/wamux-plugin-crm"'
    throw gatewayError('NEW_PLUGIN', [`"${name}" can not be the name of a plugin: it ${words}`])
  }
  const folder = resolve(into, `wamux-plugin-${short}`)
  if (existsSync(folder)) {
    throw gatewayError('NEW_PLUGIN', [`${folder} is there already; choose another name, or remove it`])
  }
  const fill = (text: string): string =>
    text
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
    // `.template` keeps tools from taking a file of the template for one of wamux's own.
    const target = join(folder, file.replace(/\.template$/, ''))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, fill(readFileSync(join(template, file), 'utf8')))
    return target.slice(folder.length + 1)
  })
  return { folder, files: written }
}
