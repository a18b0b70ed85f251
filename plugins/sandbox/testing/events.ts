import { newAjv } from 'wamux/kit'
import type { EventDeclaration, NewEvent, Plugin, TSchema } from 'wamux/plugin'

type Translators = Record<string, (signal: unknown, deps: unknown) => unknown>
type Validate = (body: unknown) => string

/** The same plugin, with translators that fail if a body does not match its event's declaration or has extra fields. */
export function withEventChecks(plugin: Plugin): Plugin {
  const { translate, events = {} } = plugin.spec
  if (!translate) return plugin
  const declared = events as Record<string, EventDeclaration>
  const checked = Object.entries(translate as Translators).map(([name, translator]) => [
    name,
    async (signal: unknown, deps: unknown) => {
      const recording = (await translator(signal, deps)) as { events?: NewEvent[] } | undefined
      for (const event of recording?.events ?? []) check(event, declared[event.type])
      return recording
    },
  ])
  return { ...plugin, spec: { ...plugin.spec, translate: Object.fromEntries(checked) } }
}

const validators = new WeakMap<EventDeclaration, Validate>()

function check({ type, body }: NewEvent, declaration: EventDeclaration | undefined): void {
  if (!declaration?.schema) return
  const validate = validators.get(declaration) ?? validatorOf(declaration, declaration.schema)
  validators.set(declaration, validate)
  // In the form that receivers get.
  const faults = validate(JSON.parse(JSON.stringify(body)))
  if (faults) throw new Error(`the body of ${type} does not match its declaration: ${faults}`)
}

function validatorOf({ beside = {} }: EventDeclaration, schema: TSchema): Validate {
  const ajv = newAjv({ allErrors: true })
  ajv.opts.useDefaults = false
  ajv.opts.validateFormats = false
  const required = Object.entries(beside).flatMap(([name, field]) => ('~optional' in field ? [] : [name]))
  const properties = { event: schema, ...beside }
  const validate = ajv.compile(closed({ type: 'object', required: ['event', ...required], properties }))
  return (body) => (validate(body) ? '' : ajv.errorsText(validate.errors))
}

/** The same schema with objects closed: they may have no unnamed fields, unless the schema itself allows them. */
function closed<S>(schema: S): S {
  if (Array.isArray(schema)) return schema.map(closed) as S
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  const isOpen = !('properties' in copy) || 'additionalProperties' in copy
  return (isOpen ? copy : { ...copy, additionalProperties: false }) as S
}
