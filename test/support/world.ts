import { loadConfig } from '../../config/load.ts'
import type { GatewayOptions } from '../../kernel/gateway.ts'
import type { Plugin } from '../../kernel/plugin.ts'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import type { Answer } from './calls.ts'
import type { Engine } from './databases.ts'
import { ADMIN, type TestGateway, testGateway } from './gateway.ts'

/** A whole gateway on its own local network. */
export interface World {
  readonly gateway: TestGateway
  phone(name?: string): Promise<Phone>
  /** A session that `phone` has linked by its QR code, logged in. */
  linked(phone: Phone, options?: { subscribe?: string[] }): Promise<LinkedSession>
  fault(fault: Record<string, unknown>): void
  counters(): Record<string, number>
  stop(): Promise<void>
}

export interface LinkedSession {
  readonly token: string
  readonly headers: { token: string }
  readonly phone: Phone
  post(path: string, body?: unknown): Promise<Answer>
  get(path: string): Promise<Answer>
  /** Resolves when the status has what is asked for. */
  status(wanted: Record<string, unknown>, ms?: number): Promise<Answer['data']>
}

export const admin = { admintoken: ADMIN }

export interface WorldOptions extends Partial<GatewayOptions> {
  /** Settings of plugins by name. */
  config?: Record<string, Record<string, unknown>>
  /** Plugins to leave out. */
  without?: string[]
  /** Plugins of the test's own. */
  extra?: Plugin[]
}

export async function startWorld(options: WorldOptions = {}, engine?: Engine): Promise<World> {
  const { config = {}, without = [], extra = [], ...rest } = options
  const off = Object.fromEntries(without.map((name) => [name, false]))
  const { plugins } = await loadConfig({}, { sandbox: true, ...off })
  const listed = [...plugins, ...extra.map((plugin) => ({ plugin, config: {} }))].map((entry) => {
    const { name } = (entry.plugin as { spec: { name: string } }).spec
    return { ...entry, config: { ...entry.config, ...config[name] } }
  })
  const gateway = testGateway({ plugins: listed, ...rest }, engine)
  await gateway.start()
  return worldOf(gateway)
}

export function worldOf(gateway: TestGateway): World {
  const { network, phones } = gateway.service('sandbox')
  return {
    gateway,
    phone: (name = 'Somebody') => phones.create({ name }),
    async linked(phone, { subscribe = ['All'] } = {}) {
      const { data } = await gateway.post('/session/init', { Name: phone.account.name }, admin)
      const session = sessionOf(gateway, data.Token, phone)
      await session.post('/session/connect', { Subscribe: subscribe, Immediate: false })
      const { data: shown } = await session.get('/session/qr')
      await phone.scan(shown.QRCode)
      await session.status({ LoggedIn: true })
      return session
    },
    fault: (fault) => network.fault(fault as { Fault: string }),
    counters: () => network.view()['Counters'] as Record<string, number>,
    stop: () => gateway.stop(),
  }
}

export function sessionOf(gateway: TestGateway, token: string, phone: Phone): LinkedSession {
  const headers = { token }
  return {
    token,
    headers,
    phone,
    post: (path, body) => gateway.post(path, body, headers),
    get: (path) => gateway.get(path, headers),
    async status(wanted, ms = 10_000) {
      const limit = Date.now() + ms
      for (;;) {
        const { data = {} } = await gateway.get('/session/status', headers)
        if (Object.entries(wanted).every(([name, value]) => data[name] === value)) return data
        if (Date.now() > limit) throw new Error(`status stayed ${JSON.stringify(data)}`)
        // The interface has nothing to wait on here; a short turn of polling is what clients do.
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
  }
}
