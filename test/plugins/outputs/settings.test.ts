import { readdirSync } from 'node:fs'
import { expect } from 'chai'
import type { Plugin } from 'wamux/plugin'
import { BUILTIN } from '../../../config/builtin.ts'
import outputs from '../../../plugins/outputs/index.ts'
import { startWorld } from '../../support/world.ts'

/** Operators find the same names, limits and words at every output. */
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

  const REFUSED = {
    'output-redis': [{ url: 'redis://127.0.0.1:1', tlsCa: 'PEM' }, 'must begin with rediss://'],
    'output-rabbitmq': [{ url: 'amqp://127.0.0.1:1', tlsCert: 'PEM' }, 'must begin with amqps://'],
    'output-mqtt': [{ url: 'mqtt://127.0.0.1:1', tlsCa: 'PEM' }, 'must begin with mqtts:// or wss://'],
    'output-nats': [{ url: 'nats://user:secret@127.0.0.1:1' }, 'takes no login'],
  } as const
  for (const [name, [settings, reason]] of Object.entries(REFUSED))
    it(`prevents the start of ${name} where its address and its other settings do not fit`, async () => {
      const module = await BUILTIN[name]?.()
      const extra = [outputs, module?.default as Plugin]
      const failure = await startWorld({ extra, config: { [name]: settings } }).then(
        () => 'it started',
        (error: Error) => error.message,
      )
      expect(failure).to.include(`${name}.url ${reason}`)
      expect(failure).to.not.include('secret')
    })
})
