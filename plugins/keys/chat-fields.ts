/** A value of a body that names a chat or a person. */
export interface NamedChat {
  /** `ContextInfo.Participant` */
  readonly field: string
  readonly value: unknown
  /**
   * The kind of address in the field, from the schema's keyword `names`: `chat` for the format `phone` without it,
   * `message` for the id of a message that the handler looks up with the viewer, `unknown` for a field that only by its
   * name seems to name a chat.
   */
  readonly kind: string
  /** Replaces the value by an address. */
  replace(address: string): void
}

interface Shape {
  names?: string
  format?: string
  properties?: Record<string, Shape>
  items?: Shape
  anyOf?: Shape[]
  oneOf?: Shape[]
  allOf?: Shape[]
}

/** The values of a checked body that name a chat: those of declared fields, and of fields whose name suggests it. */
export function chatsNamed(schema: unknown, body: unknown): NamedChat[] {
  return walk(schema as Shape | undefined, body, '')
}

/** Last words, in the singular, of the names of fields for a chat or a person. */
const SUSPECT =
  /^(phone|number|jid|lid|chat|group|to|recipient|target|participant|member|sender|receiver|author|newsletter|channel|community|contact|user|username|peer)$/

/** `ChatIDs` → `chat`: the last meaningful word. */
export function isSuspect(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_.-]+/)
    .map((word) => word.toLowerCase().replace(/s$/, ''))
  while (words.length > 1 && /^(id|list|address|name)$/.test(words.at(-1) ?? '')) {
    // A group's name is just a text; a user's name is an address.
    if (words.at(-1) === 'name' && words.at(-2) !== 'user') return false
    words.pop()
  }
  return SUSPECT.test(words.at(-1) ?? '')
}

function walk(shape: Shape | undefined, value: unknown, path: string): NamedChat[] {
  if (typeof value !== 'object' || value === null) return []
  const properties = propertiesOf(shape)
  const holder = value as Record<string, unknown>
  return Object.entries(holder).flatMap(([name, inner]) => {
    const own = Array.isArray(value) ? itemsOf(shape) : properties[name]
    const field = path ? `${path}.${name}` : name
    const kind = kindOf(own, Array.isArray(value) ? '' : name)
    if (kind === 'none') return []
    if (kind && !(Array.isArray(inner) && kindOf(itemsOf(own), ''))) return leaves(holder, name, field, kind)
    return walk(own, inner, field)
  })
}

/** A value, or each one of a list: a value that is not text can't be resolved later. */
function leaves(holder: Record<string, unknown>, name: string, field: string, kind: string): NamedChat[] {
  const value = holder[name]
  if (value === undefined || value === null || typeof value === 'boolean') return []
  if (Array.isArray(value))
    return value.flatMap((_, at) =>
      leaves(value as unknown as Record<string, unknown>, String(at), `${field}.${at}`, kind),
    )
  const replace = (address: string): void => {
    holder[name] = address
  }
  return [{ field, value, kind, replace }]
}

function kindOf(shape: Shape | undefined, name: string): string | undefined {
  for (const branch of branchesOf(shape)) {
    if (branch.names) return branch.names
    if (branch.format === 'phone') return 'chat'
  }
  const items = itemsOf(shape)
  if (items && branchesOf(items).some(({ names, format }) => names || format === 'phone')) return undefined
  return name !== '' && isSuspect(name) ? 'unknown' : undefined
}

function branchesOf(shape: Shape | undefined): Shape[] {
  if (!shape) return []
  return [
    shape,
    ...[shape.anyOf, shape.oneOf, shape.allOf].flatMap((list) => (list ?? []).flatMap(branchesOf)),
  ]
}

function propertiesOf(shape: Shape | undefined): Record<string, Shape> {
  return Object.assign(Object.create(null), ...branchesOf(shape).map(({ properties }) => properties ?? {}))
}

function itemsOf(shape: Shape | undefined): Shape | undefined {
  return branchesOf(shape).find(({ items }) => items)?.items
}
