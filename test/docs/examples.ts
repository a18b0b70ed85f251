import ts from 'typescript'
import type { Block } from './blocks.ts'

/** Modules that examples may take names from without saying so, and what the text around them speaks of. */
const MODULES = ['wamux/plugin', '@wamux/sandbox/testing']
const GIVEN: Readonly<Record<string, string>> = {
  expect: "import { expect } from 'chai'",
  crm: "import crm from './crm.ts'",
  plugin: "import plugin from './crm.ts'",
}

/** The plugin that the examples of the test kit test. */
export const CRM = `import { definePlugin, T } from 'wamux/plugin'
/** Tells a CRM who wrote. */
export default definePlugin({
  name: 'crm',
  version: '1.0.0',
  api: '^1.0.0',
  config: T.Object({ url: T.String({ default: 'http://127.0.0.1', description: 'Where the CRM is' }) }),
  routes: (r) => [
    r.post('/crm/sync', {
      summary: 'Tells the CRM of somebody',
      body: T.Object({ Phone: T.String({ minLength: 1, format: 'phone' }) }),
      response: T.Object({ Phone: T.String(), At: T.String() }),
      handle: async ({ body }, { config }) => ({ Phone: body.Phone, At: config.url }),
    }),
  ],
})
`

/** The text of a declaration in the reference, not something to run. */
export function declaredIn({ text }: Block): { name: string; isType: boolean } | undefined {
  const [, kind, name] = /^export (?:async )?(interface|type|function|const) (\w+)/.exec(text) ?? []
  return kind && name ? { name, isType: kind === 'interface' || kind === 'type' } : undefined
}

/** An example as a module: the names that it uses without importing them are imported. */
export async function toModule({ text }: Block): Promise<string> {
  const source = ts.createSourceFile('example.ts', text, ts.ScriptTarget.ES2023, true)
  const used = new Set<string>()
  const own = new Set<string>()
  const visit = (node: ts.Node): void => {
    const isName = ts.isPropertyAssignment(node.parent) || ts.isPropertyAccessExpression(node.parent)
    if (ts.isIdentifier(node) && !(isName && node.parent.name === node)) used.add(node.text)
    if ((ts.isVariableDeclaration(node) || ts.isImportSpecifier(node)) && ts.isIdentifier(node.name))
      own.add(node.name.text)
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(source, visit)
  const free = [...used].filter((name) => !own.has(name))
  const lines = free.flatMap((name) => GIVEN[name] ?? [])
  for (const module of MODULES) {
    const exported: object = await import(module)
    const names = free.filter((name) => Object.keys(exported).includes(name))
    if (names.length > 0) lines.push(`import { ${names.join(', ')} } from '${module}'`)
  }
  return `${lines.join('\n')}\n${text}\nexport {}\n`
}

/** What is wrong with the files, in one program that is as strict as this repository; only they are judged. */
export function typeCheck(files: readonly string[]): string[] {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, '.')
  const { rootDir: _root, outDir: _out, ...rest } = options
  const program = ts.createProgram([...files], { ...rest, noEmit: true })
  return files.flatMap((file) => {
    const source = program.getSourceFile(file)
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    return found.map(({ messageText, start = 0 }) => {
      const line = source ? source.getLineAndCharacterOfPosition(start).line + 1 : 0
      return `${file}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
    })
  })
}
