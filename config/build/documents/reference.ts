import type { Plugin } from '../../../kernel/plugin.ts'
import { BUILTIN } from '../../builtin.ts'
import { variableOf } from '../../environment.ts'
import { ConfigSchema, ENVIRONMENT } from '../../schema.ts'
import { table, typeOf, type WordedSchema } from './schema-words.ts'

const HEADS = ['Key', 'Variable', 'Default and limits', 'Meaning']

/** config/REFERENCE.md: every setting there is. */
export async function reference(): Promise<string> {
  const plugins = await Promise.all(
    Object.values(BUILTIN).map(async (load) => (await load()).default as Plugin),
  )
  const configured = plugins.filter(({ spec }) => Object.keys(propertiesOf(spec.config)).length > 0)
  return `# Every setting

Made by \`npm run docs\` from the schemas. [Configuration](../kernel/docs/configuration.md) shows how to set them by the environment, by
files with a value (\`NAME_FILE\`) and in the configuration file. Items of a list are separated by commas. \`wamux check\` prints
each setting in effect with its source.

## The gateway

${settings(ConfigSchema, (key) => Object.entries(ENVIRONMENT).find(([, of]) => of === key)?.[0])}

An entry of \`plugins\` is \`true\`, \`false\`, or an object with \`config\`, the plugin's settings, and \`optional: true\`,
to start without it if it fails.

## Plugins

In the file these are below \`plugins.<name>.config\`. Plugins that are not listed have no settings;
[the list of plugins](../plugins/README.md) shows the profiles that enable them.

${configured
  .sort((a, b) => a.spec.name.localeCompare(b.spec.name))
  .map(({ spec }, _, all) => section(spec, all[all.findIndex((one) => OUTPUT.test(one.spec.name))]?.spec))
  .join('\n')}`
}

const OUTPUT = /^output-/

/** The outputs to brokers share settings, which the first of them lists. */
function section({ name, config }: Plugin['spec'], first: Plugin['spec'] | undefined): string {
  const variable = (key: string): string => variableOf(name, key)
  const properties = propertiesOf(config)
  const isShared = (key: string): boolean =>
    JSON.stringify(properties[key]) === JSON.stringify(propertiesOf(first?.config)[key])
  if (!first || name === first.name || !OUTPUT.test(name))
    return `### ${name}\n\n${settings(config, variable)}\n`
  const [shared, own] = [Object.keys(properties).filter(isShared), Object.entries(properties)]
  const rest = { properties: Object.fromEntries(own.filter(([key]) => !isShared(key))) }
  const names = shared.map((key) => `\`${key}\``).join(', ')
  return `### ${name}\n\n${settings(rest, variable)}\n\nAlso, as in [${first.name}](#${first.name}): ${names} (\`${variable(shared[0] ?? '')}\` …).\n`
}

function settings(schema: unknown, variable: (key: string) => string | undefined): string {
  const rows = Object.entries(propertiesOf(schema)).map(([key, property]) => {
    const name = variable(key)
    return [`\`${key}\``, name ? `\`${name}\`` : '', defaultOf(property), property.description ?? '']
  })
  return table(HEADS, rows)
}

/** Its default, which shows its type, and its limits; its type if it has no default. */
function defaultOf(schema: WordedSchema): string {
  const { default: value } = schema
  const type = schema.patternProperties ? 'object' : typeOf(schema)
  if (value === undefined) return type
  const shown = `\`${typeof value === 'string' && value ? value : JSON.stringify(value)}\``
  const limits = type.replace(/^(list of )?(integer|number|string|boolean)(, |$)/, '')
  return limits ? `${shown}; ${limits}` : shown
}

function propertiesOf(schema: unknown): Record<string, WordedSchema> {
  return (schema as WordedSchema | undefined)?.properties ?? {}
}
