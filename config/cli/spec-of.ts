import { readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

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
