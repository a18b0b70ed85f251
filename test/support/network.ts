import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '../../kernel/logging/log.ts'
import { wire } from '../../plugins/baileys/protocol/wire.ts'
import { createNetwork, type NetworkOptions } from '../../plugins/sandbox/network/network.ts'
import { createPhones, type Phones } from '../../plugins/sandbox/phone/phones.ts'
import type { SimulatedNetwork } from '../../plugins/sandbox/types.ts'
import { temporaryFolder } from './databases.ts'
import { patient } from './patient.ts'

/** A local network outside any gateway: it outlives the gateways that tests kill. */
export interface LooseNetwork {
  readonly network: SimulatedNetwork
  readonly phones: Phones
  /** File that tells a gateway where it is: WAMUX_BAILEYS_NETWORK. */
  readonly card: string
}

export async function startNetwork(options: Pick<NetworkOptions, 'observe'> = {}): Promise<LooseNetwork> {
  const log = createLog({ level: 'silent' })
  const network = await createNetwork(wire, { log, ...options })
  const { url, mediaHost, ca, rootKey } = network
  const card = join(temporaryFolder(), 'network.json')
  writeFileSync(
    card,
    JSON.stringify({ name: 'sandbox', url, mediaHost, ca, rootKey: rootKey.toString('base64') }),
  )
  return { network, phones: phonesOn(network), card }
}

/** Phones whose line to the network the test may have changed. */
export function phonesOn(network: SimulatedNetwork): Phones {
  const phones = createPhones(wire, network, createLog({ level: 'silent' }))
  return { ...phones, create: async (options) => patient(await phones.create(options)) }
}
