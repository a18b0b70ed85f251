import { type Field, type Operation, readInterface, refOf, type Schema } from './operations.ts'
import { iterating } from './words.ts'

const MADE = 'Made by `npm run generate`: from the OpenAPI document of the built-in plugins.'

/** Files of the PHP client that are not in git, by their names in plugins/docs/clients/php/src. */
export async function phpClient(): Promise<Readonly<Record<string, string>>> {
  const { operations, schemas, events, errorCodes } = await readInterface()
  const shapes = [
    `ErrorCode ${errorCodes.map(quoted).join('|')}`,
    ...schemas
      .filter(([name]) => name !== 'LoggedEvent')
      .map(([name, schema]) => `${name} ${shapeOf(schema)}`),
    ...events.map(([type, schema]) => `${type}Event ${shapeOf(schema)}`),
    `Event ${events.map(([type]) => `${type}Event`).join('|')}`,
  ]
  const sends = operations.filter(({ isSend }) => isSend)
  const text = operations.flatMap((operation) => [
    call(operation),
    ...(operation.paging ? [pages(operation)] : []),
  ])
  const names = ['Event', ...schemas.map(([name]) => name)]
  const used = names.filter((name) =>
    new RegExp(`\\b${name}\\b`).test(text.join('\n').replace(/ \* [A-Z].*/g, '')),
  )
  return {
    'Types.php': `${HEAD}
/**
 * Shapes of the interface, for \`@phpstan-import-type\`. ${MADE}
 *
${shapes.map((shape) => comment(`@phpstan-type ${shape}`, '')).join('\n *\n')}
 */
interface Types
{
}
`,
    'Api.php': `${HEAD}
/**
 * The calls of the client. ${MADE}
 *
${used.map((name) => ` * @phpstan-import-type ${name} from Types`).join('\n')}
 */
abstract class Api extends Caller
{
    /** Routes that take an Idempotency-Key. */
    protected const SENDS = [
${sends.map(({ path }) => `        ${quoted(path)} => true,\n`).join('')}    ];

${text.join('\n')}}
`,
  }
}

const HEAD = `<?php

declare(strict_types=1);

namespace Wamux;
`

function call(operation: Operation): string {
  const { id, data, media } = operation
  const answer = data ? shapeOf(data) : 'string'
  const native = data ? nativeOf(data) : 'string'
  const isText = media === 'json' ? '' : ' The answer is text or the bytes of a file.'
  return `${docBlock([
    `${operation.summary}.${isText}`,
    ...(operation.description ? ['', operation.description] : []),
    '',
    ...parametersOf(operation, operation.isSend),
    `@return ${answer}`,
    '@throws WamuxException',
  ])}
    public function ${id}(
${signature(operation, operation.isSend)}
    ): ${native} {
        return $this->call(
${given(operation)}${operation.isSend ? '            idempotencyKey: $idempotencyKey,\n' : ''}        );
    }
`
}

function pages(operation: Operation): string {
  const { cursor = '', next = '', items = '', item = {} } = operation.paging ?? {}
  return `${docBlock([
    `${operation.summary}: all pages, one item after the other.`,
    '',
    ...parametersOf(operation, false),
    `@return \\Generator<int, ${shapeOf(item)}>`,
    '@throws WamuxException',
  ])}
    public function ${iterating(operation.id)}(
${signature(operation, false)}
    ): \\Generator {
        return $this->iterate(
${given(operation)}            paging: [${[cursor, next, items].map(quoted).join(', ')}],
        );
    }
`
}

function parametersOf({ fields, isOpen }: Operation, isSend: boolean): string[] {
  return [
    ...fields.map(({ name, schema, isRequired }) => {
      const shape = argumentShape(schema)
      const text = `@param ${isRequired ? shape : nullable(shape)} $${name}`
      return schema.description ? `${text} ${schema.description}` : text
    }),
    ...(isSend ? ['@param string|null $idempotencyKey in place of the one that the client creates'] : []),
    '@param array<string, string> $headers',
    '@param bool|null $retry whether it is repeated after a failure; by default for GET, PUT and sends',
    ...(isOpen ? ['@param mixed ...$more other fields'] : []),
  ]
}

function signature({ id, fields, isOpen }: Operation, isSend: boolean): string {
  const names = [...fields.map(({ name }) => name), 'headers', 'retry', 'idempotencyKey']
  if (new Set(names).size < names.length) throw new Error(`${id}: two arguments of one name`)
  return [
    ...fields.map(({ name, schema, isRequired }) => {
      const native = isNumber(schema) ? 'int|string' : nativeOf(schema)
      return isRequired ? `${native} $${name}` : `${nullable(native)} $${name} = null`
    }),
    ...(isSend ? ['?string $idempotencyKey = null'] : []),
    'array $headers = []',
    '?bool $retry = null',
    ...(isOpen ? ['mixed ...$more'] : []),
  ]
    .map((line, at, { length }) => `        ${line}${isOpen && at === length - 1 ? '' : ','}\n`)
    .join('')
    .trimEnd()
}

function given(operation: Operation): string {
  const { method, path, isOpen } = operation
  const lines = [
    quoted(method),
    quoted(path),
    ...(['params', 'query', 'body'] as const).flatMap((argument) => {
      const fields = operation.fields.filter(
        ({ place }) => (place === 'path' ? 'params' : place) === argument,
      )
      const entries = fields.map((field) => `${quoted(field.name)} => ${valueFor(field)}`)
      if (argument === 'body' && isOpen) return [`body: [${[...entries, '...$more'].join(', ')}]`]
      return fields.length > 0 ? [`${argument}: [${entries.join(', ')}]`] : []
    }),
    'headers: $headers',
    'retry: $retry',
  ]
  return lines.map((line) => `            ${line},\n`).join('')
}

/** PHP writes an empty array as a list, also where an object is meant. */
function valueFor({ name, schema, isRequired }: Field): string {
  if (schema.$ref === undefined && schema.type !== 'object') return `$${name}`
  return isRequired ? `(object) $${name}` : `$${name} === null ? null : (object) $${name}`
}

/** A number in a query, which the document has as digits. */
function isNumber({ type, pattern = '' }: Schema): boolean {
  return type === 'string' && pattern.startsWith('^\\d{')
}

function argumentShape(schema: Schema): string {
  return isNumber(schema) ? 'int|string' : shapeOf(schema)
}

/** The type of a schema as PHPStan and Psalm read it. */
function shapeOf(schema: Schema): string {
  const { type, properties, patternProperties, additionalProperties, items, anyOf, required = [] } = schema
  if (schema.$ref) return refOf(schema) === 'LoggedEvent' ? 'Event' : refOf(schema)
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join('|')
  if (anyOf) return [...new Set(anyOf.map(shapeOf))].join('|')
  if (Array.isArray(type)) return type.map((one) => shapeOf({ ...schema, type: one })).join('|')
  if (type === 'array') return `list<${shapeOf(items ?? {})}>`
  if (properties && Object.keys(properties).length > 0) {
    const fields = Object.entries(properties).map(
      ([key, value]) =>
        `${/^\w+$/.test(key) ? key : quoted(key)}${required.includes(key) ? '' : '?'}: ${shapeOf(value)}`,
    )
    return `array{${fields.join(', ')}}`
  }
  const [value] = Object.values(patternProperties ?? {})
  const values = value ?? (typeof additionalProperties === 'object' ? additionalProperties : {})
  if (type === 'object') return `array<string, ${shapeOf(values)}>`
  return NATIVE[String(type)] ?? 'mixed'
}

/** The type of a schema as PHP itself checks it. */
function nativeOf(schema: Schema): string {
  const { type, anyOf } = schema
  if (schema.$ref) return 'array'
  if ('const' in schema)
    return NATIVE[typeof schema.const === 'number' ? 'integer' : typeof schema.const] ?? 'mixed'
  if (schema.enum) return 'string'
  const kinds = anyOf ? anyOf.map(nativeOf) : [type ?? ''].flat().map((one) => NATIVE[one] ?? 'mixed')
  const natives = [...new Set(kinds)]
  if (natives.includes('mixed')) return 'mixed'
  const others = natives.filter((native) => native !== 'null')
  return others.length < natives.length ? nullable(others.join('|')) : others.join('|')
}

const NATIVE: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  object: 'array',
  array: 'array',
  null: 'null',
}

function nullable(type: string): string {
  if (type === 'mixed' || type.startsWith('?') || /(^|\|)null$/.test(type)) return type
  return /^\w+$/.test(type) ? `?${type}` : `${type}|null`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? quoted(value) : String(value)
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`

function docBlock(lines: readonly string[]): string {
  return `    /**\n${lines.map((line) => comment(line, '    ')).join('\n')}\n     */`
}

function comment(line: string, indent: string): string {
  return `${indent} *${line ? ` ${line.replace(/\s+/g, ' ').replace(/\*\//g, '*∕')}` : ''}`
}
