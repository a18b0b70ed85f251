import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

interface Locked {
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly link?: boolean
  readonly resolved?: string
}

/** Read by nothing at run time: source maps, TypeScript, documents. Licences stay. */
const UNREAD = /\.(map|[cm]?ts|markdown)$|(^|\/)(?!licen[cs]e|notice|copying|copyright)[^/]*\.md$/i

/** Of packages that are mostly sources of something compiled. */
const KEPT: Readonly<Record<string, RegExp>> = {
  sqlite3: /^(package\.json|LICENSE|lib(\/.*)?|build(\/Release(\/node_sqlite3\.node)?)?)$/,
}

/** Used by install scripts alone. */
const INSTALLERS = new Set(['node-gyp', 'prebuild-install', 'node-addon-api'])

/**
 * Copies what a running gateway reads into an empty folder: the build of wamux and of each package of the workspace, and the
 * installed dependencies without those for development. Needs `npm install` and `npm run build`, and no network.
 */
export function assembleApp(to: string): void {
  mkdirSync(join(to, 'node_modules'), { recursive: true })
  const { workspaces } = JSON.parse(readFileSync('package.json', 'utf8')) as { workspaces: string[] }
  for (const path of ['package.json', 'LICENSE', 'NOTICE.md', 'config/template'])
    cpSync(path, join(to, path), { recursive: true })
  for (const path of ['dist', ...workspaces.map((folder) => join(folder, 'dist'))]) copyRead(path, to)
  for (const folder of workspaces) cpSync(join(folder, 'package.json'), join(to, folder, 'package.json'))
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, Locked>
  }
  for (const [path, locked] of Object.entries(packages)) {
    if (!path.includes('node_modules/') || isForDevelopment(path, locked)) continue
    // Among them `wamux` itself, which plugins import.
    if (locked.link) linkTo(join(to, path), join(to, locked.resolved ?? ''))
    // Optional ones are for other platforms.
    else if (existsSync(path)) copyRead(path, to)
  }
}

function isForDevelopment(path: string, { dev, devOptional }: Locked): boolean {
  return dev === true || devOptional === true || path.split('/').some((part) => INSTALLERS.has(part))
}

/** Without nested packages, which have entries of their own. */
function copyRead(from: string, to: string): void {
  const kept = KEPT[basename(from)]
  cpSync(from, join(to, from), {
    recursive: true,
    filter(source) {
      const path = source.slice(from.length + 1)
      if (path === '') return true
      if (/(^|\/)node_modules$/.test(path)) return false
      if (kept && !kept.test(path)) return false
      return lstatSync(source).isDirectory() || !UNREAD.test(path)
    },
  })
}

/** Relative, so that the folder can be moved. */
function linkTo(link: string, target: string): void {
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(relative(dirname(link), target), link)
}
