import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import type { TSchema } from 'typebox'
import type { Plugin } from '../../kernel/types/plugin.ts'
import { newAjv } from '../../kernel/validate/ajv.ts'
import { CONFIG, configSchema, idOf } from '../../kernel/validate/config.ts'
import { BUILTIN, CARDS } from '../builtin.ts'
import { ConfigSchema } from '../schema.ts'

/** The CommonJS module is the function itself, contrary to its types. */
const toText = standalone as unknown as typeof standalone.default
const CODE = { source: true, esm: true }

/** Texts, by name, of the modules that replace kernel/validate/compiled.ts in a release. */
export async function standaloneModules(): Promise<Readonly<Record<string, string>>> {
  const rules = new Ajv2020({ strict: false, code: CODE })
  const configs = newAjv({ ...CONFIG, code: CODE })
  const schemas = [ConfigSchema, ...(await builtinConfigs())].map(configSchema)
  // Plugins without settings share one schema.
  const byId = new Map(schemas.map((schema) => [idOf(schema), schema]))
  for (const [id, schema] of byId) configs.addSchema(schema, id)
  const ids = [...byId.keys()]
  const entries = ids.map((id, index) => `${JSON.stringify(id)}: configs.config${index}`)
  return {
    compiled: [
      "import { rules } from 'standalone:rules'",
      "import * as configs from 'standalone:configs'",
      `export const compiled = { rules, configs: { ${entries.join(', ')} } }`,
    ].join('\n'),
    rules: toText(rules, { rules: 'https://json-schema.org/draft/2020-12/schema' }),
    configs: toText(configs, Object.fromEntries(ids.map((id, index) => [`config${index}`, id]))),
  }
}

/** Packages of their own are compiled when they are loaded. */
async function builtinConfigs(): Promise<(TSchema | undefined)[]> {
  const own = Object.entries(BUILTIN).filter(([name]) => !CARDS[name]?.package)
  const modules = await Promise.all(own.map(([, load]) => load()))
  return modules.map((module) => (module.default as Plugin).spec.config)
}
