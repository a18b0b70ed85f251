import { loadConfig } from '../../config/load.ts'
import type { GatewayOptions } from '../../kernel/gateway.ts'
import type { Plugin } from '../../kernel/plugin.ts'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import type { NewAccount } from '../../plugins/sandbox/types.ts'
import { type Engine, engines } from './databases.ts'
import { type TestGateway, testGateway } from './gateway.ts'
import { patient } from './patient.ts'
import { type LinkedSession, linkPhone } from './sessions.ts'
import { copyTemplate } from './template.ts'

export { admin, type LinkedSession, sessionOf } from './sessions.ts'

/** A whole gateway on its own local network. */
export interface World {
  readonly gateway: TestGateway
  phone(name?: string, options?: NewAccount): Promise<Phone>
  /** A session that `phone` has linked by its QR code, logged in. */
  linked(phone: Phone, options?: { subscribe?: string[] }): Promise<LinkedSession>
  fault(fault: Record<string, unknown>): void
  counters(): Record<string, number>
  stop(): Promise<void>
}

export interface WorldOptions extends Partial<GatewayOptions> {
  /** Settings of plugins by name. */
  config?: Record<string, Record<string, unknown>>
  /** Plugins to leave out. */
  without?: string[]
  /** Of the built-in plugins; the standard one when absent. */
  profile?: string
  /** Plugins of the test's own. */
  extra?: Plugin[]
}

export async function startWorld(options: WorldOptions = {}, engine?: Engine): Promise<World> {
  const { config = {}, without = [], extra = [], profile, ...rest } = options
  const off = Object.fromEntries(without.map((name) => [name, false]))
  const { plugins } = await loadConfig(profile ? { WAMUX_PROFILE: profile } : {}, {
    sandbox: true,
    ...off,
  })
  const listed = [...plugins, ...extra.map((plugin) => ({ plugin, config: {} }))].map((entry) => {
    const { name } = (entry.plugin as { spec: { name: string } }).spec
    return { ...entry, config: { ...entry.config, ...config[name] } }
  })
  const place = (engine ?? (engines[0] as Engine)).fresh()
  if (!place.databaseUrl && !rest.dataDir) await copyTemplate(listed, place.dataDir)
  const gateway = testGateway({ plugins: listed, ...place, ...rest })
  await gateway.start()
  return worldOf(gateway)
}

/** What most tests need: a world, a session of its own in it, and somebody to write to. */
export interface Shop {
  readonly world: World
  readonly session: LinkedSession
  readonly ana: Phone
}

export async function openShop(options?: WorldOptions, engine?: Engine): Promise<Shop> {
  const world = await startWorld(options, engine)
  const session = await world.linked(await world.phone('Shop'))
  return { world, session, ana: await world.phone('Ana') }
}

function worldOf(gateway: TestGateway): World {
  const { network, phones } = gateway.service('sandbox')
  return {
    gateway,
    phone: async (name = 'Somebody', options = {}) => patient(await phones.create({ name, ...options })),
    linked: (phone, options) => linkPhone(gateway, phone, options),
    fault: (fault) => network.fault(fault as { Fault: string }),
    counters: () => network.view()['Counters'] as Record<string, number>,
    stop: () => gateway.stop(),
  }
}
