import type { EventDeclaration, Plugin } from '../../../kernel/plugin.ts'
import { BUILTIN } from '../../builtin.ts'
import { type Schema, table, typeOf } from './schema-words.ts'

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

Generated from the schemas that the plugins declare, by \`npm run docs\`; a test compares them. A delivery in the format
\`wamux\` is
\`{type, event, …, eventId, instanceName, labels?, userID, jid, timestamp}\`: the tables list the fields of \`event\`,
after those next to it. \`labels\` are the session's, absent if it has none; \`traceparent\` is present if the event
follows from a request that had one, \`token\` if \`WAMUX_WEBHOOK_INCLUDE_TOKEN\` is set; streams add \`seq\`, and a
made event has \`test\`, which is true. A subscriber to \`All\` gets everything, a subscriber to a class gets its types. A disabled plugin contributes none of
its classes; a class that no enabled plugin provides is dropped from a Subscribe, and the answer names it.

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

${declared.sort(byType).map(section).join('\n')}`
}

function byType(a: Declared, b: Declared): number {
  return a.type.localeCompare(b.type)
}

function section({ type, plugin, summary, schema, beside = {}, ...event }: Declared): string {
  const properties = beside as Record<string, Schema>
  const required = Object.keys(properties).filter((name) => !('~optional' in (beside[name] ?? {})))
  const fields = [...fieldsOf({ properties, required }), ...fieldsOf((schema ?? {}) as Schema, 'event.')]
  return `## ${type}

${summary}. Class ${event.class}, plugin \`${plugin}\`.
${fields.length > 0 ? `\n${table(['Field', 'Type', 'Meaning'], fields)}\n` : ''}`
}

/** Fields of fields with a dot between; of the objects in a list with `[]`. */
function fieldsOf(schema: Schema, place = ''): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = objectOf(field)
    const path = `${place}${name}`
    const below = inner ? fieldsOf(inner, `${path}${field.items ? '[]' : ''}.`) : []
    const isSure = schema.required?.includes(name) ?? false
    const type = `${typeOf(field)}${isSure ? '' : ', not always there'}`
    return [[`\`${path}\``, type, field.description ?? ''], ...below]
  })
}

function objectOf(field: Schema): Schema | undefined {
  return [field, field.items, ...(field.anyOf ?? [])].find((one) => one?.properties)
}
