import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { sitePages } from './pages.ts'

/** The package of the site. */
export const SITE = 'plugins/docs/site'
/** Its source, which VitePress builds: not in git. */
const SOURCE = 'plugins/docs/site/build'

/** Writes the pages of the site; resolves with their number. */
async function writeSource(): Promise<number> {
  const { pages, sidebar, pictures } = await sitePages()
  rmSync(SOURCE, { recursive: true, force: true })
  for (const { path, text } of pages) write(`${path}.md`, text)
  write('sidebar.json', JSON.stringify(sidebar))
  for (const picture of pictures) cpSync(picture, join(SOURCE, 'public', picture.split('/').at(-1) ?? ''))

  // For assistants: https://llmstxt.org
  const told = pages.filter(({ path }) => path !== 'home')
  const list = told.map(({ path, title, summary }) => `- [${title}](/docs/${path}): ${summary}`)
  write(
    'public/llms.txt',
    `# wamux\n\n> A self-hosted gateway that gives WhatsApp accounts an HTTP interface.\n\n${list.join('\n')}\n`,
  )
  const full = told.map(({ path, text }) => `<!-- /docs/${path} -->\n\n${text}`)
  write('public/llms-full.txt', full.join('\n\n'))
  return pages.length
}

function write(name: string, text: string): void {
  const file = join(SOURCE, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** `npm run site`: writes the pages, and builds them with VitePress, which is installed on demand. */
installPackages(SITE)
process.stdout.write(`${await writeSource()} pages\n`)
const vitepress = resolve(SITE, 'node_modules/vitepress/bin/vitepress.js')
execFileSync(process.execPath, [vitepress, 'build', SITE], { stdio: 'inherit' })

/** Installs the packages of a test folder as locked, unless they are. */
export function installPackages(folder: string): void {
  if (isInstalled(folder)) return
  execFileSync('npm', ['ci', '--ignore-scripts', '--prefix', folder], { stdio: 'inherit' })
}

/** npm writes what it has installed into node_modules, in the form of the lockfile. */
export function isInstalled(folder: string): boolean {
  const installed = `${folder}/node_modules/.package-lock.json`
  if (!existsSync(installed)) return false
  const { packages } = lockOf(`${folder}/package-lock.json`)
  const present = lockOf(installed).packages
  return Object.entries(packages).every(
    ([path, { version, optional }]) => path === '' || optional || present[path]?.version === version,
  )
}

function lockOf(file: string): { packages: Record<string, { version?: string; optional?: boolean }> } {
  return JSON.parse(readFileSync(file, 'utf8'))
}
