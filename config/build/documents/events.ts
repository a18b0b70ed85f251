import type { EventDeclaration, Plugin } from '../../../kernel/plugin.ts'
import { BUILTIN } from '../../builtin.ts'
import { table, typeOf, type WordedSchema } from './schema-words.ts'

interface Declared extends EventDeclaration {
  type: string
  plugin: string
}

/** plugins/webhook/EVENTS.md: every event that a built-in plugin declares. */
export async function events(): Promise<string> {
  const plugins = await Promise.all(
    Object.values(BUILTIN).map(async (load) => (await load()).default as Plugin),
  )
  const declared = plugins.flatMap(({ spec }) =>
    Object.entries(spec.events ?? {}).map(
      ([type, event]): Declared => ({ ...(event as EventDeclaration), type, plugin: spec.name }),
    ),
  )
  const classes = [...new Set(declared.map((event) => event.class))].sort()
  return `# Every event

Made by \`npm run docs\` from the schemas of the plugins. A delivery in the format \`wamux\` is
\`{type, event, …, eventId, instanceName, labels?, userID, jid, timestamp}\`. The lists have the fields beside \`event\`
first, then those of \`event\`; \`?\` marks a field that may be absent. \`labels\` are those of the session. \`traceparent\` is
present if the event follows from a request that had one, \`token\` if \`WAMUX_WEBHOOK_INCLUDE_TOKEN\` is set. Streams
add \`seq\`; a made event has \`test: true\`. A subscriber to \`All\` gets everything, a subscriber to a class gets its types.
Without its plugin, an event is not raised; a class that no enabled plugin provides is dropped from a Subscribe, and
the answer names it.

${table(
  ['Subscribe', 'Types'],
  classes.map((name) => [
    name === 'All' ? 'only `All`' : `\`${name}\``,
    declared
      .filter((event) => event.class === name)
      .sort(byType)
      .map(({ type }) => `[${type}](#${type.toLowerCase()})`)
      .join(', '),
  ]),
)}

${sections(declared)}`
}

/** Shown in full: the others refer to the objects in them. */
const FIRST = ['Message', 'CallOffer', 'JoinedGroup', 'ScheduleSent']
/** Objects with fewer fields are repeated. */
const SHORT = 3
/** Events with fewer fields are repeated. */
const FEW = 5
/** Sets of values that are as long are listed once. */
const LONG = 8

/** Where an object, or all fields of an event, was shown first, by its schema. */
type Shown = Map<string, string>

function sections(declared: readonly Declared[]): string {
  const shown: Shown = new Map()
  const rank = ({ type }: Declared): number => (FIRST.includes(type) ? FIRST.indexOf(type) : FIRST.length)
  const texts = new Map(
    [...declared].sort((a, b) => rank(a) - rank(b) || byType(a, b)).map((one) => [one, section(one, shown)]),
  )
  return [...declared]
    .sort(byType)
    .map((one) => texts.get(one))
    .join('\n')
}

function byType(a: Declared, b: Declared): number {
  return a.type.localeCompare(b.type)
}

function section({ type, plugin, summary, schema, beside = {}, ...event }: Declared, shown: Shown): string {
  const owner =
    event.class === 'All' ? `Plugin \`${plugin}\`.` : `Class ${event.class}, plugin \`${plugin}\`.`
  const head = `## ${type}\n\n${summary}. ${owner}\n`
  const same = shown.get(JSON.stringify([beside, schema]))
  if (same) return `${head}\nFields as in [${same}](#${same.toLowerCase()}).\n`
  const properties = beside as Record<string, WordedSchema>
  const required = Object.keys(properties).filter((name) => !('~optional' in (beside[name] ?? {})))
  const list = lister(type, shown)
  const fields = [...list({ properties, required }), ...list((schema ?? {}) as WordedSchema, 'event.')]
  if (fields.length >= FEW) shown.set(JSON.stringify([beside, schema]), type)
  return fields.length > 0 ? `${head}\n${merged(fields).map(lineOf).join('\n')}\n` : head
}

function lineOf([names = '', type = '', meaning = '']: readonly string[]): string {
  return meaning ? `- ${names} (${type}): ${meaning}` : `- ${names} (${type})`
}

/** Fields of one object with the same type and meaning share a line. */
function merged(fields: readonly string[][]): string[][] {
  const rows = new Map<string, string[]>()
  for (const [name = '', ...rest] of fields) {
    const parent = name.slice(0, name.lastIndexOf('.'))
    const isParent = fields.some(([other = '']) => other.startsWith(`${name.replace(/\??`$/, '')}.`))
    const key = JSON.stringify([isParent ? name : parent, ...rest])
    const [names] = rows.get(key) ?? []
    rows.set(key, [names ? `${names}, ${name}` : name, ...rest])
  }
  return [...rows.values()]
}

/** Lists fields of fields with a dot between; of the objects in a list with `[]`. */
function lister(type: string, shown: Shown): (schema: WordedSchema, place?: string) => string[][] {
  return function list(schema: WordedSchema, place = ''): string[][] {
    return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
      const inner = objectOf(field)
      const path = `${place}${name}`
      const isSure = schema.required?.includes(name) ?? false
      const key =
        inner || (field.enum?.length ?? 0) >= LONG ? JSON.stringify(inner?.properties ?? field.enum) : ''
      const same = shown.get(key)
      if (key && !inner && !same) shown.set(key, `\`${path}\``)
      const named = `\`${path}${isSure ? '' : '?'}\``
      if (same && !inner) return [[named, `as ${same}`, '']]
      const meaning = [field.description ?? '', same ? `as ${same}` : ''].filter(Boolean).join('; ')
      const row = [named, typeOf(field).replace('string, date-time', 'date-time'), meaning]
      if (!inner || same) return [row]
      const below = list(inner, `${path}${field.items ? '[]' : ''}.`)
      if (below.length >= SHORT) shown.set(key, `\`${path}\` of [${type}](#${type.toLowerCase()})`)
      return [row, ...below]
    })
  }
}

function objectOf(field: WordedSchema): WordedSchema | undefined {
  return [field, field.items, ...(field.anyOf ?? [])].find((one) => one?.properties)
}
