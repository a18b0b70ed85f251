import { type GatewayServices, gatewayError, type Log } from 'wamux/plugin'
import type { NewAccount, SimulatedNetwork } from '../types.ts'
import { createPhone, type Phone } from './phone.ts'

/** The phones of a network. */
export interface Phones {
  create(options: NewAccount): Promise<Phone>
  all(): Phone[]
  /** Throws ITEM_UNKNOWN. */
  get(phone: string): Phone
}

export function createPhones(wire: GatewayServices['wire'], network: SimulatedNetwork, log: Log): Phones {
  const phones = new Map<string, Phone>()
  return {
    async create(options) {
      const phone = await createPhone(wire, network, network.createAccount(options), log)
      phones.set(phone.account.phone, phone)
      return phone
    },
    all: () => [...phones.values()],
    get(who) {
      const phone = phones.get(network.account(who)?.phone ?? '')
      if (!phone) throw gatewayError('ITEM_UNKNOWN', [`Phone ${who}`])
      return phone
    },
  }
}
