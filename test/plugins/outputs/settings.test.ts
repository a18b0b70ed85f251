import { readdirSync } from 'node:fs'
import { expect } from 'chai'
import type { Plugin } from 'wamux/plugin'
import { BUILTIN } from '../../../config/builtin.ts'

/** Each output declares them itself, since plugins share no code: operators must still find the same names and limits. */
const EVERY = ['types', 'sessions', 'window', 'timeoutMs']
const TLS = ['tlsCa', 'tlsCert', 'tlsKey']

describe('the settings that every output has', () => {
  const names = readdirSync('plugins').filter((name) => name.startsWith('output-'))
  const settingsOf = async (name: string): Promise<Readonly<Record<string, unknown>>> => {
    const module = await BUILTIN[name]?.()
    const plugin = module?.default as Plugin | undefined
    return (plugin?.spec.config as { properties?: Record<string, unknown> } | undefined)?.properties ?? {}
  }

  for (const key of [...EVERY, ...TLS])
    it(`has "${key}" with the same type, default, limits and description in each`, async () => {
      const declared = await Promise.all(names.map(async (name) => (await settingsOf(name))[key]))
      expect(declared.length).to.be.greaterThan(1)
      for (const [at, one] of declared.entries()) expect(one, names[at]).to.deep.equal(declared[0])
      expect(declared[0]).to.include.keys('default', 'description')
    })
})
