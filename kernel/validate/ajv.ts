import { Ajv2020, type AnySchema, type ErrorObject } from 'ajv/dist/2020.js'

/** Holds schemas themselves against the rules for schemas; one for all, because it is slow to make. */
const rules = new Ajv2020({ strict: false })

/** Throws in AJV's words where it is no JSON Schema. */
export function assertSchema(schema: AnySchema): void {
  void rules.validateSchema(schema, true)
}

/** One AJV for one owner, so that two plugins' schemas can't clash. */
export function newAjv(options: { allErrors: boolean; verbose?: boolean }): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    useDefaults: true,
    allowUnionTypes: true,
    ...options,
  })
  ajv.validateSchema = (schema, throws) => rules.validateSchema(schema, throws)
  // What normalizing reads (normalize.ts): other names of a field, and whether empty text is a value of it.
  ajv.addKeyword({ keyword: 'aliases', schemaType: 'array' })
  ajv.addKeyword({ keyword: 'allowEmpty', schemaType: 'boolean' })
  // Marks that let a number stand for text; what is a valid phone or id is the owner's matter.
  ajv.addFormat('phone', true)
  ajv.addFormat('id', true)
  return ajv
}

/** `/Buttons/0/Url` → `Buttons.0.Url`; with `child`, the field below it. */
export function fieldOf(error: ErrorObject, child?: unknown): string {
  const path = error.instancePath.split('/').slice(1).map(plain)
  return (typeof child === 'string' ? [...path, child] : path).join('.')
}

/** RFC 6901. */
function plain(part: string): string {
  return part.replace(/~1/g, '/').replace(/~0/g, '~')
}
