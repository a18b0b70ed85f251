import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import type { TSchema } from 'typebox'
import type { Plugin } from '../kernel/types/plugin.ts'
import { newAjv } from '../kernel/validate/ajv.ts'
import { CONFIG, configSchema, idOf } from '../kernel/validate/config.ts'
import { BUILTIN, CARDS } from './builtin.ts'
import { ConfigSchema } from './schema.ts'

/** The module is CommonJS, which is the function itself; its types say otherwise. */
const toText = standalone as unknown as typeof standalone.default
const CODE = { source: true, esm: true }

/** The texts of modules that stand for kernel/validate/compiled.ts in a release, by name. */
export async function standaloneModules(): Promise<Readonly<Record<string, string>>> {
  const rules = new Ajv2020({ strict: false, code: CODE })
  const configs = newAjv({ ...CONFIG, code: CODE })
  const schemas = [ConfigSchema, ...(await builtinConfigs())].map(configSchema)
  // Plugins without settings have the same.
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
