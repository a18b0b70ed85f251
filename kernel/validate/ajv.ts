import {
  _,
  Ajv2020,
  type AnySchema,
  type CodeKeywordDefinition,
  type ErrorObject,
  type Options,
  str,
} from 'ajv/dist/2020.js'
import { sizeOf } from './bounds.ts'
import { compiled } from './compiled.ts'
import { KINDS, kindOf } from './kinds.ts'

/** One instance for all, because creating it is slow. */
const rules = new Ajv2020({ strict: false })

/** Throws if the schema itself is invalid. */
export function assertSchema(schema: AnySchema): true {
  if (!compiled.rules?.(schema)) void rules.validateSchema(schema, true)
  return true
}

/** Each plugin has its own AJV instance, so that schemas of two plugins can't conflict. */
export function newAjv(options: Pick<Options, 'allErrors' | 'verbose' | 'code' | 'coerceTypes'>): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    useDefaults: true,
    allowUnionTypes: true,
    meta: false,
    // AJV's optimizer takes half of the compile time, for code that V8 makes as fast anyway.
    code: { optimize: false },
    ...options,
  })
  ajv.validateSchema = assertSchema
  // For normalizing bodies (kernel/http/bodies): other names of a field, and whether it accepts empty text.
  ajv.addKeyword({ keyword: 'aliases', schemaType: 'array' })
  ajv.addKeyword({ keyword: 'allowEmpty', schemaType: 'boolean' })
  // Values of a text that the handler checks with its own messages.
  ajv.addKeyword({ keyword: 'words', schemaType: 'array' })
  // For plugins that check who is addressed: what kind of address a field holds.
  ajv.addKeyword({ keyword: 'names', schemaType: 'string' })
  // What the field lets out of the account: a kind of `LEAVING`, or `nothing`.
  ajv.addKeyword({ keyword: 'leaves', schemaType: 'string' })
  // For forms: the unit of a number, for example `seconds`.
  ajv.addKeyword({ keyword: 'unit', schemaType: 'string' })
  for (const keyword of ['minLength', 'maxLength'] as const) {
    ajv.removeKeyword(keyword)
    ajv.addKeyword({ ...lengthKeyword(keyword), before: 'pattern' })
  }
  ajv.addKeyword({
    keyword: 'maxSize',
    schemaType: 'number',
    validate: (most: number, value: unknown) => sizeOf(value, most) <= most,
    error: { message: ({ schemaCode }) => str`must NOT hold more than ${schemaCode} characters in all` },
  })
  for (const name of Object.keys(KINDS)) ajv.addFormat(name, kindOf(name)?.check ?? true)
  return ajv
}

/** `/Buttons/0/Url` → `Buttons.0.Url`; with `child`, the field below it. */
export function fieldOf(error: ErrorObject, child?: unknown): string {
  const path = error.instancePath.split('/').slice(1).map(plain)
  return (typeof child === 'string' ? [...path, child] : path).join('.')
}

/** The values that a failed `enum` or `const` allows; none for other keywords. */
export function allowedBy({ params }: ErrorObject): unknown[] {
  return [params['allowedValues'] ?? params['allowedValue'] ?? []].flat()
}

/** RFC 6901. */
function plain(part: string): string {
  return part.replace(/~1/g, '/').replace(/~0/g, '~')
}

/**
 * Like AJV's own, but counts characters only if the number of UTF-16 units does not decide: counting those of a 60 MB file
 * takes 160 ms.
 */
function lengthKeyword(keyword: 'minLength' | 'maxLength'): CodeKeywordDefinition {
  const isMost = keyword === 'maxLength'
  return {
    keyword,
    type: 'string',
    schemaType: 'number',
    error: {
      message: ({ schemaCode }) =>
        str`must NOT have ${isMost ? 'more' : 'fewer'} than ${schemaCode} characters`,
      params: ({ schemaCode }) => _`{limit: ${schemaCode}}`,
    },
    code(cxt) {
      const { data, schema } = cxt
      const units = _`${data}.length`
      const characters = _`[...${data}].length`
      // A character has one unit or two.
      cxt.fail(
        isMost
          ? _`${units} > ${schema} && (${units} > ${2 * schema} || ${characters} > ${schema})`
          : _`${units} < ${schema} || (${units} < ${2 * schema} && ${characters} < ${schema})`,
      )
    },
  }
}
