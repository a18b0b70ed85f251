import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { CARDS } from '../../builtin.ts'
import { sourcesIn } from '../sources.ts'

/** A type that the built-in plugins add to the contract, where it is declared. */
export interface ContractType {
  readonly name: string
  readonly file: string
  /** What it is of: `the service ``sender`` of sending`. */
  readonly of: string
}

/** Types of services and contributions, by plugin; those with a type of their own only. */
export function contractTypes(): ContractType[] {
  const found = new Map<string, ContractType>()
  for (const plugin of Object.keys(CARDS)) {
    for (const file of sourcesIn(join('plugins', plugin)))
      for (const type of typesOf(file, plugin)) if (!found.has(type.name)) found.set(type.name, type)
  }
  return [...found.values()]
}

const KINDS: Readonly<Record<string, string>> = {
  GatewayServices: 'service',
  GatewayContributions: 'contract',
}

function typesOf(file: string, plugin: string): ContractType[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2023, true)
  const merged = source.statements.flatMap((statement) =>
    ts.isModuleDeclaration(statement) && statement.body && ts.isModuleBlock(statement.body)
      ? [...statement.body.statements].filter(ts.isInterfaceDeclaration)
      : [],
  )
  const types = merged.flatMap(({ name, members }) => {
    const kind = KINDS[name.text]
    return (kind ? [...members] : []).flatMap((member) => {
      if (!ts.isPropertySignature(member) || !member.type || !ts.isTypeReferenceNode(member.type)) return []
      const type = member.type.typeName.getText()
      const from = fileOf(type, source, file)
      return from
        ? [{ name: type, file: from, of: `the ${kind} \`${member.name.getText()}\` of ${plugin}` }]
        : []
    })
  })
  // Such a file is all contract.
  if (!file.endsWith('/contract.ts')) return types
  const others = source.statements
    .filter((statement) => ts.isInterfaceDeclaration(statement))
    .filter(({ modifiers }) => modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
  return [...types, ...others.map(({ name }) => ({ name: name.text, file, of: plugin }))]
}

/** Where a type is declared: in this file, or in the one that it is imported from. */
function fileOf(type: string, source: ts.SourceFile, file: string): string | undefined {
  for (const statement of source.statements) {
    if (
      (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) &&
      statement.name.text === type
    )
      return file
    if (!ts.isImportDeclaration(statement) || !statement.importClause?.namedBindings) continue
    const bindings = statement.importClause.namedBindings
    const from = (statement.moduleSpecifier as ts.StringLiteral).text
    const isNamed = ts.isNamedImports(bindings) && bindings.elements.some(({ name }) => name.text === type)
    if (isNamed && from.startsWith('.')) return join(dirname(file), from)
  }
  return undefined
}
