import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SitePage } from './page.ts'

interface Source {
  file: string
  path: string
  /** Pages by their files. */
  paths: ReadonlyMap<string, string>
  /** Collects the pictures that the page shows. */
  pictures: Set<string>
}

/** The README's parts that the site carries in other pages. */
const LEFT_OUT = ['Documentation', 'Packages', 'What is proved, and how to see it']

/** A document of the repository as a page: its links lead to pages, and those to other files become text. */
export function documentPage({ file, path, paths, pictures }: Source): SitePage {
  const source = readFileSync(file, 'utf8')
  const own = file === 'README.md' ? quickStart(source) : source
  const text = outsideCode(own, (prose) =>
    prose
      .replace(/!\[([^\]]*)\]\(([^)\s]+)\)/g, (_, words: string, link: string) => {
        const picture = join(dirname(file), link)
        pictures.add(picture)
        return `![${words}](/${picture.split('/').at(-1)})`
      })
      .replace(/(?<!!)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (whole, words: string, link: string) => {
        if (/^[a-z]+:|^\//.test(link)) return whole
        const target = targetOf(file, link, paths)
        return target ? `[${words}](${target})` : words
      })
      .replaceAll('{{', '&#123;&#123;'),
  )
  const [, title = path] = /^#+ (.+)$/m.exec(own) ?? []
  return { path, title: titleOf(file, title), summary: summaryOf(own), text }
}

function titleOf(file: string, title: string): string {
  const plain = title.replaceAll('`', '')
  return file === 'SECURITY.md' ? 'Reporting a vulnerability' : plain
}

function quickStart(readme: string): string {
  const parts = readme.split(/^(?=## )/m)
  const kept = parts.filter((part) => !LEFT_OUT.some((name) => part.startsWith(`## ${name}\n`)))
  return kept
    .join('')
    .replace(/^# wamux$/m, '# Quick start')
    .replace(/^<picture>.*<\/picture>$/gm, '')
}

/** The page that a link of a document leads to; undefined if the file has none. */
function targetOf(file: string, link: string, paths: ReadonlyMap<string, string>): string | undefined {
  const [name = '', anchor] = link.split('#')
  const repository = name ? join(dirname(file), name).replace(/\/$/, '') : file
  const found = [repository, `${repository}/README.md`].find((one) => paths.has(one))
  if (!found) return undefined
  const isLeftOut = found === 'README.md' && LEFT_OUT.some((part) => part.toLowerCase() === anchor)
  if (isLeftOut) return undefined
  const page = paths.get(found)?.replace(/(^|\/)index$/, '$1')
  return `${name ? `/${page}` : ''}${anchor === undefined ? '' : `#${anchor}`}`
}

/** The first sentence of the first paragraph. */
function summaryOf(text: string): string {
  const body = text.replace(/^---\n[\s\S]*?\n---\n/, '').replace(/<!--[\s\S]*?-->/g, '')
  const paragraph = body.split(/\n{2,}/).find((one) => /^[A-Z`*[]/.test(one)) ?? ''
  const plain = paragraph.replace(/\n/g, ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/[.:]$/, '') ?? plain
}

/** Changes what is neither in a code block nor between backticks, except for links whose words are code. */
function outsideCode(text: string, change: (prose: string) => string): string {
  return text
    .split(/(^ *(?:`{3,})[\s\S]*?^ *`{3,}$)/m)
    .map((part) => (/^ *`{3,}/.test(part) ? part : change(part)))
    .join('')
}

export function isThere(file: string): boolean {
  return existsSync(file)
}
