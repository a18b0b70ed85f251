import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const known = new Map<string, ReadonlySet<string>>()

/** Names of the functions and classes that a file declares: as statements, expressions, constants, methods or properties of objects. */
export function functionsIn(file: string): ReadonlySet<string> {
  const found = known.get(file) ?? read(file)
  known.set(file, found)
  return found
}

function read(file: string): ReadonlySet<string> {
  const path = file.startsWith('@') ? join('node_modules', file) : file
  if (!existsSync(path)) return new Set()
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2023)
  const names = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (isFunction(node) && node.name && ts.isIdentifier(node.name)) names.add(node.name.text)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return names
}

/** A declaration with a body of its own: the method of an interface is none. */
function isFunction(node: ts.Node): node is ts.NamedDeclaration {
  if (ts.isFunctionExpression(node) || ts.isClassDeclaration(node)) return true
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) return node.body !== undefined
  if (!ts.isVariableDeclaration(node) && !ts.isPropertyAssignment(node)) return false
  const { initializer } = node
  return (
    initializer !== undefined && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer))
  )
}
