import { expect } from 'chai'
import { BUILTIN } from '../../config/builtin.ts'
import { PROFILES } from '../../config/profiles.ts'
import { ConfigSchema } from '../../config/schema.ts'
import type { Plugin } from '../../kernel/plugin.ts'

/** Beginnings of the names of plugins that are off by default. */
const OFF = [
  'chat-log',
  'cloud-api',
  'cluster',
  'mcp',
  'media-store',
  'output',
  'pacing',
  'proxy',
  'sandbox',
  'schedule',
]
/** They need settings or packages of their own. */
const OPT_IN = ['cluster', 'media-store-s3', 'output-mqtt', 'output-nats', 'output-rabbitmq', 'output-redis']

describe('profiles', () => {
  it('are those that the configuration offers', () => {
    const offered = (ConfigSchema.properties.profile as unknown as { enum: string[] }).enum
    expect(Object.keys(PROFILES)).to.have.members(offered)
  })

  it('minimal is sessions, sending, webhook, health and what holds calls back, with what those need, and nothing else', async () => {
    const plugins = await Promise.all(
      Object.values(BUILTIN).map(async (load) => (await load()).default as Plugin),
    )
    const wanted = new Set<string>()
    const add = (plugin: Plugin | undefined): void => {
      if (!plugin || wanted.has(plugin.spec.name)) return
      wanted.add(plugin.spec.name)
      for (const need of plugin.spec.needs ?? []) add(provider(need))
    }
    const provider = (service: unknown): Plugin | undefined =>
      plugins.find(({ spec }) => spec.provides?.some((provided: unknown) => provided === service))
    // The kernel itself needs the driver.
    add(provider('driver'))
    for (const name of ['session', 'send', 'webhook', 'server', 'audit', 'confirmation', 'messaging'])
      add(plugins.find(({ spec }) => spec.name === name))
    expect(PROFILES.minimal).to.have.members([...wanted])
  })

  it('standard is everything but what changes how messages leave, what reads them back, and the sandbox; all has those too', () => {
    const every = Object.keys(BUILTIN)
    expect(PROFILES.standard).to.have.members(
      every.filter((name) => !OFF.some((off) => name.startsWith(off))),
    )
    expect(PROFILES.all).to.have.members(every.filter((name) => !OPT_IN.includes(name)))
  })
})
