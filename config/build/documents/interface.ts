import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import ts from 'typescript'
import { clientDocument } from '../../../plugins/docs/clients/typescript.ts'

export const INTERFACE = 'test/kit/interface.snapshot'

const ENTRIES = {
  '@wamux/client': 'plugins/docs/clients/typescript/index.ts',
  '@wamux/mcp/stdio': 'plugins/mcp/stdio.ts',
  '@wamux/sandbox/testing': 'plugins/sandbox/testing/index.ts',
  wamux: 'config/index.ts',
  'wamux/messaging': 'plugins/messaging/index.ts',
  'wamux/outputs': 'plugins/outputs/index.ts',
  'wamux/plugin': 'kernel/plugin.ts',
  'wamux/services': 'config/services.ts',
}

/**
 * The public interface: a line for each route with a hash of what it takes and gives, and a line for each export of the package,
 * with a hash of its declaration for plugins. Descriptions and comments do not count, so that only what changes the contract
 * shows.
 */
export async function interfaceSnapshot(): Promise<string> {
  return [...(await routes()), ...exportedNames(), ''].join('\n')
}

/** Lines that are in one of the snapshots only, as `- …` and `+ …`. */
export function changesOf(before: string, after: string): string[] {
  const [old, now] = [before, after].map((text) => new Set(text.split('\n'))) as [Set<string>, Set<string>]
  return [
    ...[...old].filter((line) => !now.has(line)).map((line) => `- ${line}`),
    ...[...now].filter((line) => !old.has(line)).map((line) => `+ ${line}`),
  ]
}

type Json = Record<string, unknown>

async function routes(): Promise<string[]> {
  const document = await clientDocument()
  return Object.entries(document['paths'] as Record<string, Record<string, Json>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters, requestBody, responses }]) => {
        const contract = bare({ parameters, requestBody, answer: (responses as Json)['200'] }, document, [])
        return `${method.toUpperCase()} ${path} ${hashOf(JSON.stringify(contract))}`
      }),
    )
    .sort()
}

/** Words that people read, and examples. */
const WORDS = ['description', 'example', 'examples', 'summary', 'title']

/** With references replaced by what they name, and without words. A schema that contains itself ends at its name. */
function bare(value: unknown, document: Json, inside: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => bare(one, document, inside))
  if (value === null || typeof value !== 'object') return value
  const { $ref: reference, ...rest } = value as Json
  if (typeof reference === 'string') {
    if (inside.includes(reference)) return reference
    return bare(lookUp(document, reference), document, [...inside, reference])
  }
  const kept = Object.entries(rest).filter(([key]) => !WORDS.includes(key))
  return Object.fromEntries(
    kept.map(([key, one]) => [
      key,
      // Properties have any name, also that of a word.
      key === 'properties'
        ? Object.fromEntries(
            Object.entries(one as Json).map(([name, own]) => [name, bare(own, document, inside)]),
          )
        : bare(one, document, inside),
    ]),
  )
}

function lookUp(document: Json, reference: string): unknown {
  return reference
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>(
      (found, name) => (found as Json)[name.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    )
}

/** By file and name, the emitted declarations of what plugins import: `kernel/attempt.ts isManual`. */
function hashes(): ReadonlyMap<string, string> {
  const codes = new Map<string, string>()
  for (const [file, text] of declarations()) {
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true)
    for (const statement of source.statements) {
      for (const name of namesOf(statement)) {
        const place = `${file.replace(/\.d\.ts$/, '.ts')} ${name}`
        codes.set(place, `${codes.get(place) ?? ''}${statement.getText(source)}`)
      }
    }
  }
  return new Map([...codes].map(([place, code]) => [place, hashOf(code)]))
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText())
  const { name } = statement as { name?: ts.Identifier | ts.StringLiteral }
  return name ? [name.text] : []
}

function exportedNames(): string[] {
  const known = hashes()
  const program = ts.createProgram(Object.values(ENTRIES), {
    module: ts.ModuleKind.NodeNext,
    customConditions: ['wamux:source'],
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  })
  const checker = program.getTypeChecker()
  return Object.entries(ENTRIES).flatMap(([entry, file]) => {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    if (!module) throw new Error(`${file} is no module`)
    return checker
      .getExportsOfModule(module)
      .map((symbol) => {
        const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
        const [declared] = (isAlias ? checker.getAliasedSymbol(symbol) : symbol).declarations ?? []
        const from = declared && relative('.', declared.getSourceFile().fileName)
        const hash = known.get(`${from} ${symbol.name}`)
        return hash ? `${entry} ${symbol.name} ${hash}` : `${entry} ${symbol.name}`
      })
      .sort()
  })
}

function hashOf(text: string): string {
  return createHash('sha256').update(text.replace(/\s+/g, ' ')).digest('hex').slice(0, 8)
}

/**
 * What a plugin's author sees of `wamux/plugin`, `wamux/messaging` and `wamux/outputs`: their emitted declarations, file by file, without comments, so that
 * only what changes the contract shows. By file, `kernel/plugin.d.ts`.
 */
function declarations(): ReadonlyMap<string, string> {
  const { config } = ts.readConfigFile('tsconfig.build.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, '.')
  const program = ts.createProgram(
    ['kernel/plugin.ts', 'plugins/messaging/index.ts', 'plugins/outputs/index.ts'],
    {
      ...options,
      noCheck: true,
      emitDeclarationOnly: true,
      removeComments: true,
    },
  )
  const files = new Map<string, string>()
  program.emit(undefined, (name, text) => {
    if (name.endsWith('.d.ts')) files.set(relative('dist', name).replaceAll('\\', '/'), tidy(text))
  })
  return files
}

/** Without the words of errors, which may change at any time. */
function tidy(text: string): string {
  return text
    .replace(/^\/\/# sourceMappingURL.*\n?/m, '')
    .replace(/(readonly [A-Z0-9_]+: readonly \[\d+, )(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\]/g, '$1string]')
}
