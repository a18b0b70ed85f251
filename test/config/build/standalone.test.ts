import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { standaloneModules } from '../../../config/build/standalone.ts'
import { BUILTIN, CARDS } from '../../../config/builtin.ts'
import type { Plugin } from '../../../kernel/plugin.ts'
import { newAjv } from '../../../kernel/validate/ajv.ts'
import { CONFIG, configSchema, idOf } from '../../../kernel/validate/config.ts'
import { temporaryFolder } from '../../support/databases.ts'

describe('validators that the build compiles', () => {
  let compiled: { rules: ValidateFunction; configs: Record<string, ValidateFunction> }
  before(async () => {
    const folder = temporaryFolder()
    for (const [name, text] of Object.entries(await standaloneModules())) {
      // A bundle has the packages in it.
      const required = text.includes('require(')
        ? `import { createRequire } from 'node:module'; const require = createRequire(${JSON.stringify(import.meta.url)});`
        : ''
      writeFileSync(join(folder, `${name}.mjs`), required + text.replace(/'standalone:(\w+)'/g, "'./$1.mjs'"))
    }
    ;({ compiled } = await import(pathToFileURL(join(folder, 'compiled.mjs')).href))
  })

  const own = Object.entries(BUILTIN).filter(([name]) => !CARDS[name]?.package)
  for (const [name, load] of own)
    it(`judge the settings of ${name} like those that a start compiles`, async () => {
      const { config } = ((await load()).default as Plugin).spec
      const schema = configSchema(config)
      const [own, other] = [compiled.configs[idOf(schema)], newAjv(CONFIG).compile(schema)]
      const wrong = Object.fromEntries(
        Object.keys((schema as { properties?: object }).properties ?? {}).map((key) => [key, { not: 'it' }]),
      )
      for (const given of [{}, { unknown: 1 }, wrong]) {
        const [first, second] = [structuredClone(given), structuredClone(given)]
        expect(own?.(first)).to.equal(other(second))
        expect(own?.errors).to.deep.equal(other.errors)
        // With their defaults.
        expect(first).to.deep.equal(second)
      }
    })

  it('judge schemas', () => {
    expect(compiled.rules({ type: 'object', properties: { a: { type: 'string' } } })).to.equal(true)
    expect(compiled.rules({ type: 'object', properties: { a: { type: 'strin' } } })).to.equal(false)
  })
})
