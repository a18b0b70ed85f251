import { type Field, type Operation, readInterface, type Schema } from './operations.ts'
import { doc, isPythonName, pythonTypes, quoted, typesModule } from './python-types.ts'
import { iterating, pascal, snake } from './words.ts'

const HEAD = `Made by \`npm run generate\`: from the OpenAPI document of the built-in plugins."""

from __future__ import annotations
`

interface Method {
  readonly operation: Operation
  readonly fields: readonly (Field & { readonly argument: string; readonly annotation: string })[]
  readonly answer: string
  readonly item: string
}

/** Modules of the Python client that are not in git, by their file names in plugins/docs/clients/python/wamux. */
export async function pythonClient(): Promise<Readonly<Record<string, string>>> {
  const description = await readInterface()
  const types = pythonTypes('t.')
  const methods = description.operations.map((operation): Method => {
    const name = pascal(operation.id)
    const fields = operation.fields.map((field) => ({
      ...field,
      argument: isPythonName(field.name) ? field.name : `${field.name}_`,
      annotation: isNumber(field.schema)
        ? 'Union[int, str]'
        : types.of(field.schema, `${name}${pascal(field.name)}`),
    }))
    const { data, media, paging } = operation
    const answer = data ? types.of(data, `${name}Data`) : media === 'text' ? 'str' : 'bytes'
    // The class of an item, if it is one, is among those of the answer.
    const item = paging ? itemOf(paging.item, `${name}Data${pascal(paging.items)}Item`) : 'Any'
    return { operation, fields, answer, item }
  })
  const sends = methods.flatMap(({ operation }) => (operation.isSend ? [operation.path] : []))
  return {
    'types.py': typesModule(description, types),
    'sends.py': `"""Routes that take an Idempotency-Key. ${HEAD}
SENDS = frozenset(
    [
${sends.map((path) => `        ${quoted(path)},\n`).join('')}    ]
)
`,
    'api.py': api(methods, false),
    'async_api.py': api(methods, true),
  }
}

function itemOf(schema: Schema, name: string): string {
  if (schema.$ref || schema.type !== 'object') return pythonTypes('t.').of(schema, name)
  return `t.${name}`
}

/** A number in a query, which the document has as digits. */
function isNumber({ type, pattern = '' }: Schema): boolean {
  return type === 'string' && pattern.startsWith('^\\d{')
}

function api(methods: readonly Method[], isAsync: boolean): string {
  const [name, base] = isAsync ? ['AsyncApi', 'AsyncCaller'] : ['Api', 'Caller']
  const used = isAsync ? 'AsyncIterator' : 'Iterator'
  return `"""The calls of ${isAsync ? 'AsyncClient' : 'Client'}. ${HEAD}
from typing import TYPE_CHECKING, Any, ${used}, Dict, List, Literal, Mapping, Optional, Union

from .caller import ${base}

if TYPE_CHECKING:
    from . import types as t


class ${name}(${base}):
${methods.flatMap((method) => [call(method, isAsync), ...(method.operation.paging ? [pages(method, isAsync)] : [])]).join('\n')}`
}

function call(method: Method, isAsync: boolean): string {
  const { operation, answer } = method
  const given = [
    `"${operation.method}"`,
    quoted(operation.path),
    ...place('params', method, 'path'),
    ...place('query', method, 'query'),
    ...(operation.isOpen || operation.fields.some((field) => field.place === 'body')
      ? [`body=${dictOf(method, 'body', operation.isOpen)}`]
      : []),
    ...(operation.isSend ? ['idempotency_key=idempotency_key'] : []),
    'headers=headers',
    'retry=retry',
  ]
  return `    ${isAsync ? 'async ' : ''}def ${snake(operation.id)}(
${signature(method, operation.isSend)}
    ) -> ${answer}:
        ${doc(text(operation))}
        answer: ${answer} = ${isAsync ? 'await ' : ''}self.call(
${given.map((line) => `            ${line},\n`).join('')}        )
        return answer
`
}

function pages(method: Method, isAsync: boolean): string {
  const { operation, item } = method
  const { cursor = '', next = '', items = '' } = operation.paging ?? {}
  const [open, type] = isAsync ? ['async for', 'AsyncIterator'] : ['for', 'Iterator']
  const given = [
    `"${operation.method}"`,
    quoted(operation.path),
    ...place('params', method, 'path'),
    ...place('query', method, 'query'),
    'headers=headers',
    'retry=retry',
    `paging=(${[cursor, next, items].map(quoted).join(', ')})`,
  ]
  return `    ${isAsync ? 'async ' : ''}def ${snake(iterating(operation.id))}(
${signature(method, false)}
    ) -> ${type}[${item}]:
        ${doc(`${operation.summary}: all pages, one item after the other.`)}
        item: ${item}
        ${open} item in self.iterate(
${given.map((line) => `            ${line},\n`).join('')}        ):
            yield item
`
}

function signature({ operation, fields }: Method, isSend: boolean): string {
  const names = [...fields.map(({ argument }) => argument), 'headers', 'retry', 'idempotency_key']
  if (new Set(names).size < names.length) throw new Error(`${operation.id}: two arguments of one name`)
  return [
    'self',
    '*',
    ...fields.map(({ argument, annotation, isRequired }) =>
      isRequired ? `${argument}: ${annotation}` : `${argument}: ${optional(annotation)} = None`,
    ),
    ...(isSend ? ['idempotency_key: Optional[str] = None'] : []),
    'headers: Optional[Mapping[str, str]] = None',
    'retry: Optional[bool] = None',
    ...(operation.isOpen ? ['**fields: Any'] : []),
  ]
    .map((line) => `        ${line},`)
    .join('\n')
}

const optional = (annotation: string): string =>
  annotation.startsWith('Optional[') ? annotation : `Optional[${annotation}]`

function place(name: string, method: Method, of: Field['place']): string[] {
  return method.fields.some((field) => field.place === of) ? [`${name}=${dictOf(method, of, false)}`] : []
}

function dictOf({ fields }: Method, of: Field['place'], isOpen: boolean): string {
  const entries = fields
    .filter((field) => field.place === of)
    .map(({ name, argument }) => `${quoted(name)}: ${argument}`)
  return `{${[...entries, ...(isOpen ? ['**fields'] : [])].join(', ')}}`
}

function text({ summary, description, fields }: Operation): string {
  const about = fields.flatMap(({ name, schema }) =>
    schema.description ? [`${name}: ${schema.description}.`] : [],
  )
  return [`${summary}.`, description, ...about].filter(Boolean).join(' ')
}
