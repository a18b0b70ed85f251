import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sitePages } from './pages.ts'

/** The package of the site. */
export const SITE = 'plugins/docs/site'
/** Its source, which VitePress builds: not in git. */
const SOURCE = 'plugins/docs/site/build'

/** Writes the pages of the site; resolves with their number. */
export async function writeSource(): Promise<number> {
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
