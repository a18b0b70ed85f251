import { join } from 'node:path'
import { type GatewayServices, gatewayError, type Log, type PluginDb, type Sessions } from 'wamux/plugin'
import { createClock, type SandboxClock } from './clock/clock.ts'
import { createNetwork } from './network/network.ts'
import { createBot } from './phone/bot.ts'
import { createPhones, type Phones } from './phone/phones.ts'
import { type Seeded, sow } from './seed/seed.ts'
import { openWeb, WEB_HOST, type Web } from './seed/web.ts'
import { noSnapshots, openSnapshots } from './snapshots.ts'
import type { BotProfile, SimulatedNetwork } from './types.ts'

interface Deps {
  db: PluginDb
  wire: GatewayServices['wire']
  sessions: Sessions
  sender?: GatewayServices['sender'] | undefined
  httpClient?: GatewayServices['httpClient'] | undefined
  config: { port: number; mediaPort: number; keep: boolean }
  settings: { dataDir: string }
  log: Log
}

/** The local network of a gateway, with its phones. */
export class Sandbox {
  readonly #deps: Deps
  #seeded: Promise<Seeded | undefined> | undefined
  readonly #clock: SandboxClock
  #open: { network: SimulatedNetwork; phones: Phones } | undefined
  #web: Web | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    const { db, log } = deps
    this.#clock = createClock({ db, log, onMoved: () => this.network.clockMoved() })
  }

  async open(): Promise<void> {
    const { wire, config, settings, log } = this.#deps
    const snapshots = config.keep ? openSnapshots(join(settings.dataDir, 'sandbox-state'), log) : noSnapshots
    const network = await createNetwork(wire, { ...config, log, snapshots })
    // After its certificates, which TLS checks by the machine's clock.
    await this.#clock.open()
    await startBots(wire, network, log)
    const phones = createPhones(wire, network, log)
    if (config.keep) await phones.restore()
    this.#open = { network, phones }
  }

  get network(): SimulatedNetwork {
    return this.#opened().network
  }

  get clock(): SandboxClock {
    return this.#clock
  }

  get phones(): Phones {
    return this.#opened().phones
  }

  /** Fills an empty network, once, with the objects of the examples; undefined for a network that others have filled. */
  seed(): Promise<Seeded | undefined> {
    this.#seeded ??= this.#seed()
    return this.#seeded
  }

  /** The data with which a driver connects. */
  card() {
    const { url, mediaHost, ca, rootKey } = this.network
    return { name: 'sandbox', url, mediaHost, ca, rootKey }
  }

  async close(): Promise<void> {
    this.#web?.close()
    await this.#open?.network.close()
    await this.#open?.network.snapshots.close()
    this.#clock.close()
  }

  async #seed(): Promise<Seeded | undefined> {
    const { wire, sessions, sender, httpClient } = this.#deps
    this.#web = await openWeb()
    httpClient?.useLocalHost(WEB_HOST, this.#web)
    return sow({ wire, sessions, sender, network: this.network, phones: this.phones })
  }

  #opened() {
    if (!this.#open) throw gatewayError('PLUGIN_UNAVAILABLE', ['sandbox', 'the network is not running'])
    return this.#open
  }
}

const BOTS: Readonly<Record<string, BotProfile>> = {
  '867051314767696': {
    persona: '867051314767696$760019659443059',
    name: 'Sandbox AI',
    description: 'Echoes each question',
    category: 'assistant',
    isDefault: true,
    prompts: [{ emoji: '👋', text: 'Say hello' }],
    commands: [{ name: 'echo', description: 'Says the same again' }],
  },
  '1807055946486528': {
    persona: '1807055946486528$2',
    name: 'Sandbox Chef',
    description: 'Repeats it with salt',
    category: 'food',
    isDefault: false,
    prompts: [],
    commands: [],
  },
}

/** Connects the network's bots. */
async function startBots(wire: GatewayServices['wire'], network: SimulatedNetwork, log: Log): Promise<void> {
  for (const [id, profile] of Object.entries(BOTS))
    await createBot(wire, network, network.createBot(id, profile), profile, log)
}
