import { join } from 'node:path'
import { type GatewayServices, gatewayError, type Log } from 'wamux/plugin'
import { createNetwork } from './network/network.ts'
import { startBots } from './phone/bots.ts'
import { createPhones, type Phones } from './phone/phones.ts'
import { noSnapshots, openSnapshots } from './snapshots.ts'
import type { SimulatedNetwork } from './types.ts'

interface Deps {
  wire: GatewayServices['wire']
  config: { port: number; mediaPort: number; keep: boolean }
  settings: { dataDir: string }
  log: Log
}

/** The local network of a gateway, and its phones. */
export class Sandbox {
  readonly #deps: Deps
  #open: { network: SimulatedNetwork; phones: Phones } | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async open(): Promise<void> {
    const { wire, config, settings, log } = this.#deps
    const snapshots = config.keep ? openSnapshots(join(settings.dataDir, 'sandbox-state'), log) : noSnapshots
    const network = await createNetwork(wire, { ...config, log, snapshots })
    await startBots(wire, network, log)
    const phones = createPhones(wire, network, log)
    if (config.keep) await phones.restore()
    this.#open = { network, phones }
  }

  get network(): SimulatedNetwork {
    return this.#opened().network
  }

  get phones(): Phones {
    return this.#opened().phones
  }

  /** The data that a driver needs to connect. */
  card() {
    const { url, mediaHost, ca, rootKey } = this.network
    return { name: 'sandbox', url, mediaHost, ca, rootKey }
  }

  async close(): Promise<void> {
    await this.#open?.network.close()
    await this.#open?.network.snapshots.close()
  }

  #opened() {
    if (!this.#open) throw gatewayError('PLUGIN_UNAVAILABLE', ['sandbox', 'the network is not running'])
    return this.#open
  }
}
