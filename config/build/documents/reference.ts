import type { Plugin } from '../../../kernel/plugin.ts'
import { BUILTIN } from '../../builtin.ts'
import { variableOf } from '../../environment.ts'
import { PROFILES } from '../../profiles.ts'
import { ConfigSchema, ENVIRONMENT } from '../../schema.ts'
import { table, typeOf, type WordedSchema } from './schema-words.ts'

const HEADS = ['Key', 'Type', 'Default', 'Variable', 'Meaning']

/** config/REFERENCE.md: every setting there is. */
export async function reference(): Promise<string> {
  const plugins = await Promise.all(
    Object.values(BUILTIN).map(async (load) => (await load()).default as Plugin),
  )
  const configured = plugins.filter(({ spec }) => Object.keys(propertiesOf(spec.config)).length > 0)
  return `# Every setting

Generated from the schemas by \`npm run docs\`; a test compares them. The environment overrides the file that
\`WAMUX_CONFIG\` names, and the file overrides the defaults. Each variable can be set as \`NAME_FILE\`, the path of a file
with the value. Items of a list are separated by commas. Any value in the file can be \`{ "$env": "NAME" }\`, the value of
that variable or of the file that \`NAME_FILE\` points to; \`"default"\` in it applies if neither is set. \`wamux check\`
prints each setting in effect with its source.

## The gateway

${settings(ConfigSchema, (key) => Object.entries(ENVIRONMENT).find(([, of]) => of === key)?.[0])}

An entry of \`plugins\` is \`true\`, \`false\`, or an object with \`config\`, the plugin's settings, and \`optional: true\`,
to start without it if it fails.

## Profiles

${table(
  ['Plugin', ...Object.keys(PROFILES)],
  Object.keys(BUILTIN)
    .sort()
    .map((name) => [
      `\`${name}\``,
      ...Object.values(PROFILES).map((names: readonly string[]) => (names.includes(name) ? 'on' : '')),
    ]),
)}

## Plugins

In the file these stand below \`plugins.<name>.config\`. Plugins that are not named here have no settings.

${configured
  .sort((a, b) => a.spec.name.localeCompare(b.spec.name))
  .map(({ spec }) => `### ${spec.name}\n\n${settings(spec.config, (key) => variableOf(spec.name, key))}\n`)
  .join('\n')}`
}

function settings(schema: unknown, variable: (key: string) => string | undefined): string {
  const rows = Object.entries(propertiesOf(schema)).map(([key, property]) => {
    const name = variable(key)
    return [
      `\`${key}\``,
      typeWords(property),
      defaultOf(property),
      name ? `\`${name}\`` : '',
      property.description ?? '',
    ]
  })
  return table(HEADS, rows)
}

function typeWords(schema: WordedSchema): string {
  return schema.patternProperties ? 'object' : typeOf(schema)
}

function defaultOf({ default: value }: WordedSchema): string {
  return value === undefined
    ? ''
    : `\`${typeof value === 'string' && value ? value : JSON.stringify(value)}\``
}

function propertiesOf(schema: unknown): Record<string, WordedSchema> {
  return (schema as WordedSchema | undefined)?.properties ?? {}
}
