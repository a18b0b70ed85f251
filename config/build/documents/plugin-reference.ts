import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { errorTable, isReserved } from '../../../kernel/errors.ts'
import { type ErrorRow, PLUGIN_API, type Plugin } from '../../../kernel/plugin.ts'
import { BUILTIN } from '../../builtin.ts'
import { errors as around } from '../../errors.ts'
import { contractTypes } from './service-types.ts'

interface Entry {
  name: string
  words: string
  code: string
}

/** The reference of the plugin API as Markdown, made of the types and the comments at them. */
export async function pluginReference(): Promise<string> {
  const sdk = entriesOf('kernel/plugin.ts')
  const words = entriesOf('plugins/messaging/index.ts')
  const outputs = entriesOf('plugins/outputs/index.ts')
  const kit = entriesOf('plugins/sandbox/testing/index.ts')
  const services = contractTypes().flatMap(({ name, file, of }) =>
    entriesOf(file)
      .filter((entry) => entry.name === name)
      .map((entry) => ({ ...entry, words: `Of ${of}.${entry.words ? ` ${entry.words}` : ''}` })),
  )
  return [
    '# Plugin API',
    `<!-- Made by "npm run docs", and not in git; edit the comments in the code instead. -->\n\nVersion ${PLUGIN_API} (\`PLUGIN_API\`). How to begin: [first-plugin.md](first-plugin.md).`,
    'From awilix come `asValue`, `asFunction` and `asClass`, to make services; from typebox `T`, to make schemas, with `Static` and `TSchema`.',
    '## `wamux/plugin`',
    ...sdk.map(section),
    '## `wamux/messaging`',
    ...words.map(section),
    '## `wamux/outputs`',
    ...outputs.map(section),
    '## `wamux/services`',
    ...services.map(section),
    '## `@wamux/sandbox/testing`',
    ...kit.map(section),
    '',
  ].join('\n\n')
}

function section({ name, words, code }: Entry): string {
  return `### ${name}\n\n${words ? `${words}\n\n` : ''}\`\`\`ts\n${code}\n\`\`\``
}

/** All error codes as Markdown. */
export async function errorCodes(): Promise<string> {
  return [
    '# Error codes',
    '<!-- Made by "npm run docs". -->',
    'Each `errorCode` by status, with its text, in which each `%s` is filled, and what to do unless the text says it. The gateway serves a page for each, with its causes, at `/docs/errors/<code>`; the header `Link` of an answer points there. Start-up errors are shown in the log and on the command line only. A plugin declares its own in `errors`, and throws `gatewayError(code, [...])`.',
    ...(await errors()),
    '',
  ].join('\n\n')
}

function oneLine(text: string): string {
  return text.replaceAll('\n', ' ')
}

/** Every row of the table with its owner, by status. */
export async function errorRows(): Promise<{ code: string; row: ErrorRow; of: string }[]> {
  const plugins = await Promise.all(
    Object.values(BUILTIN).map(async (load) => (await load()).default as Plugin),
  )
  const rows = plugins.flatMap(({ spec }) =>
    Object.entries(spec.errors ?? {}).map(([code, row]) => ({ code, row: row as ErrorRow, of: spec.name })),
  )
  rows.push(...Object.entries(around).map(([code, row]) => ({ code, row, of: 'config' })))
  const own = new Set(rows.map(({ code }) => code))
  for (const [code, row] of errorTable()) {
    // Other tests of the same process may have started gateways whose plugins brought rows.
    if (isReserved(code) && !own.has(code)) rows.push({ code, row, of: 'kernel' })
  }
  return rows.sort((a, b) => a.row[0] - b.row[0] || (a.code < b.code ? -1 : 1))
}

async function errors(): Promise<string[]> {
  const parts = new Map<number, string[]>()
  for (const { code, row } of await errorRows()) {
    const [status, text, help] = row
    const line = `- \`${code}\` *${oneLine(text)}*${help ? `: ${oneLine(help.remedy)}` : ''}`
    parts.set(status, [...(parts.get(status) ?? []), line])
  }
  return [...parts].map(([status, lines]) => `## ${status}\n\n${lines.join('\n')}`)
}

/** Everything that a module exports of its own and of the files beside it, in the order of the text. */
function entriesOf(file: string): Entry[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2023, true)
  return source.statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement)) return entryOf(statement, source)
    const from = (statement.moduleSpecifier as ts.StringLiteral | undefined)?.text
    if (!from?.startsWith('.')) return []
    const entries = entriesOf(join(dirname(file), from))
    const { exportClause } = statement
    if (!exportClause || !ts.isNamedExports(exportClause)) return entries
    const names = exportClause.elements.map(({ name }) => name.text)
    return entries.filter(({ name }) => names.includes(name))
  })
}

function entryOf(statement: ts.Statement, source: ts.SourceFile): Entry[] {
  const isExported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  const name = nameOf(statement)
  if (!isExported || !name) return []
  const start = statement.getStart(source)
  // What a function does inside is no part of the contract.
  const end = ts.isFunctionDeclaration(statement) && statement.body ? statement.body.pos : statement.end
  const code = source.text
    .slice(start, end)
    .replace(/^\s*\/\/ biome-ignore.*\n/gm, '')
    .trim()
  return [{ name, words: wordsOf(statement, source), code }]
}

function nameOf(statement: ts.Statement): string | undefined {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations[0]?.name.getText()
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  return isNamed ? statement.name?.text : undefined
}

/** The comment as text; its examples as code. */
function wordsOf(statement: ts.Statement, source: ts.SourceFile): string {
  const comment = ts.getJSDocCommentsAndTags(statement).find(ts.isJSDoc)
  if (!comment) return ''
  const text = source.text
    .slice(comment.pos, comment.end)
    .replace(/^\/\*\*\s?|\s*\*\/$/g, '')
    .replace(/^\s*\* ?/gm, '')
    .trim()
  const [words = '', ...tags] = text.split(/^@/m)
  const examples = tags.flatMap((tag) =>
    tag.startsWith('example') ? [tag.slice('example'.length).trim()] : [],
  )
  const params = tags
    .filter((tag) => !tag.startsWith('example'))
    .map((tag) => `- ${tag.trim().replace(/\s+/g, ' ')}`)
  return [words.trim(), params.join('\n'), ...examples.map((code) => `\`\`\`ts\n${code}\n\`\`\``)]
    .filter(Boolean)
    .join('\n\n')
}
