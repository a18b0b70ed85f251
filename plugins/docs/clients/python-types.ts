import { type Interface, refOf, type Schema } from './operations.ts'
import { pascal } from './words.ts'

const KEYWORDS = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)

/** Whether a name can be an attribute or argument as it is. */
export function isPythonName(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.has(name)
}

/** Collects a TypedDict for each object, named by its place. */
export interface PythonTypes {
  /** The annotation of a schema. @param name what to call the object, if it is one. */
  of(schema: Schema, name: string): string
  /** The classes collected so far. */
  readonly classes: readonly string[]
  readonly names: readonly string[]
}

/** @param prefix of the names of classes in annotations, for example `t.` */
export function pythonTypes(prefix = ''): PythonTypes {
  const classes: string[] = []
  const names: string[] = []
  const nested = (schema: Schema, name: string): string => typeOf(schema, name, '')

  function typeOf(schema: Schema, name: string, before: string): string {
    const { type, properties, patternProperties, additionalProperties, items, anyOf } = schema
    if (schema.$ref) return `${before}${referred(refOf(schema))}`
    if ('const' in schema) return literal([schema.const])
    if (schema.enum) return literal(schema.enum)
    if (anyOf) return union(anyOf.map((one, at) => typeOf(one, `${name}${at || ''}`, before)))
    if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one }, name, before)))
    if (type === 'array') return `List[${typeOf(items ?? {}, `${name}Item`, before)}]`
    if (properties && Object.keys(properties).length > 0) {
      define(schema, name)
      return `${before}${name}`
    }
    const [value] = Object.values(patternProperties ?? {})
    const values = value ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
    if (type === 'object') return `Dict[str, ${values ? typeOf(values, `${name}Value`, before) : 'Any'}]`
    return SCALARS[String(type)] ?? 'Any'
  }

  function define(schema: Schema, name: string): void {
    if (names.includes(name)) throw new Error(`two types ${name}`)
    names.push(name)
    const { properties = {}, required = [], description } = schema
    const fields = Object.entries(properties).map(([key, value]) => ({
      key,
      annotation: nested(value, `${name}${pascal(key)}`),
      text: value.description ?? '',
      isRequired: required.includes(key),
    }))
    classes.push(typedDict(name, fields, description))
  }

  return { of: (schema, name) => typeOf(schema, name, prefix), classes, names }
}

interface TypedField {
  readonly key: string
  readonly annotation: string
  readonly text: string
  readonly isRequired: boolean
}

/** NotRequired needs Python 3.11: two classes, of which one inherits the required keys. */
function typedDict(name: string, fields: readonly TypedField[], description = ''): string {
  const needed = fields.filter(({ isRequired }) => isRequired)
  const optional = fields.filter(({ isRequired }) => !isRequired)
  const text = description ? `    ${doc(description)}\n\n` : ''
  if (fields.some(({ key }) => !isPythonName(key))) {
    const part = (suffix: string, list: readonly TypedField[], total: string): string =>
      `_${name}${suffix} = TypedDict(\n    "_${name}${suffix}",\n    {\n${list
        .map(({ key, annotation }) => `        ${quoted(key)}: ${quoted(annotation)},\n`)
        .join('')}    },${total}\n)\n`
    return `${part('Required', needed, '')}${part('Optional', optional, '\n    total=False,')}\n\nclass ${name}(_${name}Required, _${name}Optional):\n${text || '    pass\n'}`
  }
  const body = (list: readonly TypedField[]): string =>
    list
      .map(
        ({ key, annotation, text: about }) =>
          `    ${key}: ${annotation}\n${about ? `    ${doc(about)}\n` : ''}`,
      )
      .join('')
  if (optional.length === 0) return `class ${name}(TypedDict):\n${text}${body(needed)}`
  if (needed.length === 0) return `class ${name}(TypedDict, total=False):\n${text}${body(optional)}`
  return `class _${name}Required(TypedDict):\n${body(needed)}\n\nclass ${name}(_${name}Required, total=False):\n${text}${body(optional)}`
}

const SCALARS: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

/** Event types of the log are those of the webhooks. */
function referred(name: string): string {
  return name === 'LoggedEvent' ? 'Event' : name
}

function literal(values: readonly unknown[]): string {
  const texts = values.map((value) =>
    typeof value === 'boolean' ? (value ? 'True' : 'False') : value === null ? 'None' : JSON.stringify(value),
  )
  return `Literal[${texts.join(', ')}]`
}

function union(given: readonly string[]): string {
  const types = [...new Set(given)]
  const others = types.filter((type) => type !== 'None')
  const joined = others.length > 1 ? `Union[${others.join(', ')}]` : (others[0] ?? 'None')
  return others.length < types.length && others.length > 0 ? `Optional[${joined}]` : joined
}

export const quoted = (text: string): string => JSON.stringify(text)

/** A docstring on one line. */
export function doc(text: string): string {
  const plain = text.replace(/\\/g, '\\\\').replace(/"""/g, "'''").replace(/\s+/g, ' ').trim()
  return `"""${plain}${plain.endsWith('"') ? ' ' : ''}"""`
}

/** wamux/types.py: the schemas and events; those of answers are added by `pythonApi`. */
export function typesModule({ schemas, events, errorCodes }: Interface, answers: PythonTypes): string {
  const types = pythonTypes()
  for (const [name, schema] of schemas) if (name !== 'LoggedEvent') types.of(schema, name)
  for (const [type, schema] of events) types.of(schema, `${type}Event`)
  const names = events.map(([type]) => `${type}Event`)
  return `"""Types of the interface. Made by \`npm run generate\`: from the OpenAPI document of the built-in plugins."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

ErrorCode = ${literal(errorCodes)}

${[...types.classes, ...answers.classes].join('\n\n')}

Event = Union[
${names.map((name) => `    ${name},\n`).join('')}]
"""An event; its \`type\` tells which."""
`
}
