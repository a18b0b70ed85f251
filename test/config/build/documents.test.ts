import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { DOCUMENTS } from '../../../config/build/documents/documents.ts'
import { INTERFACE } from '../../../config/build/documents/interface.ts'
import { BUILTIN } from '../../../config/builtin.ts'
import { ConfigSchema } from '../../../config/schema.ts'
import type { Plugin } from '../../../kernel/plugin.ts'

const properties = (schema: unknown): Record<string, { description?: string }> =>
  (schema as { properties?: Record<string, { description?: string }> } | undefined)?.properties ?? {}

describe('documents made from the code', () => {
  for (const [path, make] of Object.entries(DOCUMENTS)) {
    // A test of its own names the routes and exports that differ.
    if (path === INTERFACE) continue
    it(`${path} is what \`npm run docs\` makes of it now`, async () => {
      expect(readFileSync(path, 'utf8')).to.equal(await make())
    })
  }

  it('have something to say of every setting', async () => {
    const plugins = await Promise.all(
      Object.values(BUILTIN).map(async (load) => (await load()).default as Plugin),
    )
    const schemas = [ConfigSchema, ...plugins.map(({ spec }) => spec.config)]
    const silent = schemas.flatMap((schema) =>
      Object.entries(properties(schema)).flatMap(([key, { description }]) => (description ? [] : [key])),
    )
    expect(silent).to.deep.equal([])
  })
})
