import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { BUILTIN } from '../../config/builtin.ts'
import { checkPlugin } from '../../config/testing/check-plugin.ts'
import type { Plugin } from '../../kernel/plugin.ts'

describe('the built-in plugins', function () {
  this.timeout(60_000)

  it('all lend their types to others by wamux/services', () => {
    const lines = Object.keys(BUILTIN).map((name) => `export type {} from '../plugins/${name}/index.ts'\n`)
    const text = readFileSync('config/services.ts', 'utf8')
    expect(lines.filter((line) => !text.includes(line))).to.deep.equal([])
  })

  for (const [name, load] of Object.entries(BUILTIN)) {
    it(`${name} keeps the rules that third parties are held to`, async () => {
      const plugin = (await load()).default as Plugin
      expect(plugin.spec.name).to.equal(name)
      expect(await checkPlugin(plugin)).to.deep.equal([])
    })
  }
})
