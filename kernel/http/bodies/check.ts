import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { type GatewayError, gatewayError } from '../../errors.ts'
import { allowedBy, assertSchema, fieldOf, newAjv } from '../../validate/ajv.ts'
import { kindOf } from '../../validate/kinds.ts'
import { unknownField } from '../unknown-fields.ts'
import { normalizer, type OnUnknown } from './normalize.ts'

/** Checks the body of a route. */
export interface BodyCheck {
  /**
   * The body as the handler receives it; throws one error with status 400 that names the field.
   *
   * @param onUnknown called for each field that is left out because the schema lacks it; it may throw.
   */
  (value: unknown, onUnknown: OnUnknown): unknown
  /** Compiles the schema now instead of at the first check; throws if it can't be compiled. */
  compile(): void
}

/**
 * Creates the body checks of one plugin: schemas of different plugins can't conflict. A check normalizes the body
 * (normalize.ts), fills defaults and validates. It is compiled at its first use: compiling all of them would take a third of
 * the gateway's start.
 *
 * @returns a function that throws at once for an invalid schema.
 */
export function bodyChecks(): (schema: TSchema) => BodyCheck {
  let ajv: Ajv2020 | undefined
  return (schema) => {
    assertSchema(schema)
    const compile = (): Compiled => {
      const known = compiled.get(schema)
      if (known) return known
      ajv ??= newAjv({ allErrors: false, verbose: true })
      const made = { normalize: normalizer(schema), validate: ajv.compile(schema) }
      compiled.set(schema, made)
      return made
    }
    const check = (value: unknown, onUnknown: OnUnknown): unknown => {
      const { normalize, validate } = compile()
      const body = normalize(value, onUnknown)
      if (validate(body)) return body
      throw toError(validate.errors ?? [])
    }
    return Object.assign(check, { compile: () => void compile() })
  }
}

/** Schemas are module constants, which the gateways of a process share. */
const compiled = new WeakMap<TSchema, Compiled>()

interface Compiled {
  normalize: ReturnType<typeof normalizer>
  validate: ValidateFunction
}

function toError(errors: readonly ErrorObject[]): GatewayError {
  // Every branch of a union fails; the first error of the deepest branch is the most specific.
  const error = [...errors].sort((a, b) => depthOf(b) - depthOf(a))[0]
  if (!error) return gatewayError('BODY_UNREADABLE', ['unreadable'])
  const { keyword, params, data, parentSchema } = error
  if (keyword === 'required')
    return gatewayError('FIELD_MISSING', [fieldOf(error, params['missingProperty'])])
  if (keyword === 'additionalProperties') {
    const known = Object.keys((parentSchema?.['properties'] as object | undefined) ?? {})
    return unknownField(fieldOf(error, params['additionalProperty']), known)
  }
  const field = fieldOf(error) || 'body'
  const isEmpty = (keyword === 'minLength' || keyword === 'minItems') && params['limit'] === 1
  if (isEmpty || data === null || data === '') return gatewayError('FIELD_MISSING', [field])
  if (keyword === 'type')
    return gatewayError('BODY_UNREADABLE', [`${field} must be ${String(params['type'])}`])
  return gatewayError('FIELD_INVALID', [field, reasonFor(error, errors)])
}

/** A branch that only lacks a field is a better match than one of another type. */
function depthOf({ instancePath, keyword }: ErrorObject): number {
  return instancePath.length + (keyword === 'required' ? 1 : 0)
}

/** Each branch of a union of constants fails with its own value: all of them are named. */
function reasonFor(error: ErrorObject, errors: readonly ErrorObject[]): string {
  if (error.keyword === 'format') return kindOf(String(error.params['format']))?.fault ?? 'not allowed'
  if (allowedBy(error).length === 0) return error.message ?? 'not allowed'
  const values = errors.filter(({ instancePath }) => instancePath === error.instancePath).flatMap(allowedBy)
  return `must be one of ${values.join(', ')}`
}
