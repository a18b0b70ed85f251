import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A fenced code block of a document. */
export interface Block {
  readonly file: string
  /** Of its first fence. */
  readonly line: number
  readonly language: string
  readonly text: string
  /** The headings that it stands under, outermost first. */
  readonly under: readonly string[]
}

export interface Document {
  readonly file: string
  readonly text: string
  readonly blocks: readonly Block[]
}

const FOLDERS = ['config', 'kernel', 'plugins', 'migrations', 'test']

/** Every Markdown file of the repository, templates of such among them; not the source of the site, which is made from them. */
export const documents: readonly Document[] = [
  ...readdirSync('.'),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  ),
]
  .filter((file) => /\.md(\.template)?$/.test(file) && !/node_modules|^plugins.docs.site.build/.test(file))
  .sort()
  .map((file) => {
    const text = readFileSync(file, 'utf8')
    return { file, text, blocks: blocksOf(file, text) }
  })

function blocksOf(file: string, text: string): Block[] {
  const blocks: Block[] = []
  const under: string[] = []
  let open: { line: number; fence: string; language: string; lines: string[] } | undefined
  for (const [at, line] of text.split('\n').entries()) {
    const [, fence = '', language = ''] = /^\s*(`{3,}|~{3,})\s*(\S*)/.exec(line) ?? []
    const [, marks = '', heading = ''] = /^(#+) (.*)/.exec(line) ?? []
    if (open && fence.startsWith(open.fence) && !language) {
      blocks.push({
        file,
        line: open.line,
        language: open.language,
        text: `${open.lines.join('\n')}\n`,
        under: [...under],
      })
      open = undefined
    } else if (open) open.lines.push(line)
    else if (fence) open = { line: at + 1, fence, language, lines: [] }
    else if (marks) under.splice(marks.length - 1, under.length, heading)
  }
  if (open) throw new Error(`${file}:${open.line}: a block that does not end`)
  return blocks
}

/** Commands that a text names in passing: `npm run x`, `wamux y`. */
export function inlineCommands(document: Document): string[] {
  return codesIn(document).filter((code) => /^(npm|npx wamux|wamux) [a-z]/.test(code))
}

/** Everything between backticks, outside of blocks and of what tables say of other gateways. */
export function codesIn({ file, text }: Document): string[] {
  const lines = text.replace(/^(`{3,})[\s\S]*?^\1/gm, '').split('\n')
  const isComparison = file.endsWith('moving-over.md')
  const own = lines.map((line) => (isComparison && line.startsWith('|') ? (line.split('|')[2] ?? '') : line))
  return [...own.join('\n').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}
