import { gatewayError, type TObject } from 'wamux/plugin'

type Values = Readonly<Record<string, unknown>>

/** Names of the fields whose values only their plugin sees. */
export function secretsOf({ properties }: TObject): string[] {
  return Object.entries(properties).flatMap(([name, field]) => (isSecret(field) ? [name] : []))
}

/** Throws PLUGIN_INVALID for a secret that could not be hidden, because it is not a top-level text. */
export function assertSecrets(plugin: string, { properties }: TObject): void {
  for (const [name, field] of Object.entries(properties)) {
    const isText = (field as { type?: unknown }).type === 'string'
    const place = isSecret(field) ? (isText ? undefined : name) : innerSecret(field as Shape, name)
    if (place !== undefined)
      throw gatewayError('PLUGIN_INVALID', [
        `"${plugin}"`,
        `its session setting ${place} is writeOnly, which only a text of the first level can be`,
      ])
  }
}

/**
 * New values, plus the previous secrets that they do not mention, since no form can send those back. '' and null remove one.
 */
export function withSecrets(schema: TObject, given: Values, before: Values): Record<string, unknown> {
  const next: Record<string, unknown> = { ...given }
  for (const name of secretsOf(schema)) {
    if (!Object.hasOwn(given, name) && Object.hasOwn(before, name)) next[name] = before[name]
    if (next[name] === '' || next[name] === null) delete next[name]
  }
  return next
}

/** The part that others may see. */
export function withoutSecrets(schema: TObject, values: Values): Values {
  const hidden = secretsOf(schema)
  return Object.fromEntries(Object.entries(values).filter(([name]) => !hidden.includes(name)))
}

/** A text from the plugin without the values of secrets. */
export function redacted(schema: TObject, values: Values, text: string): string {
  return secretsOf(schema).reduce((shown, name) => {
    const value = String(values[name] ?? '')
    return value ? shown.replaceAll(value, '…') : shown
  }, text)
}

function isSecret(field: object): boolean {
  return (field as { writeOnly?: unknown }).writeOnly === true
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
}

/** The path to a secret within a field. */
function innerSecret({ properties = {}, items, anyOf = [] }: Shape, place: string): string | undefined {
  const inner: [path: string, shape: Shape][] = [
    ...Object.entries(properties).map(([name, one]): [string, Shape] => [`${place}.${name}`, one]),
    ...[...(items ? [items] : []), ...anyOf].map((one): [string, Shape] => [place, one]),
  ]
  for (const [path, shape] of inner) {
    const found = isSecret(shape) ? path : innerSecret(shape, path)
    if (found !== undefined) return found
  }
  return undefined
}
