import { type GatewayServices, gatewayError, type Log } from 'wamux/plugin'
import type { Account, NewAccount, SimulatedNetwork } from '../types.ts'
import { createPhone, type Phone } from './phone.ts'

/** The phones of a network. */
export interface Phones {
  create(options: NewAccount): Promise<Phone>
  /** Creates the phones of stored accounts. */
  restore(): Promise<void>
  all(): Phone[]
  /** Throws ITEM_UNKNOWN. */
  get(phone: string): Phone
}

export function createPhones(wire: GatewayServices['wire'], network: SimulatedNetwork, log: Log): Phones {
  const phones = new Map<string, Phone>()
  async function add(account: Account): Promise<Phone> {
    const phone = await createPhone({ wire, network, account, log, addPhone: add })
    // By LID: a number may get another owner.
    phones.set(phone.account.lid, phone)
    network.feed.publish('phone', phone.account.phone)
    return phone
  }
  return {
    async create(options) {
      const phone = await add(network.createAccount(options))
      await network.snapshots.stored()
      return phone
    },
    async restore() {
      for (const account of network.accounts()) if (!account.jid.endsWith('@bot')) await add(account)
    },
    all: () => [...phones.values()],
    get(who) {
      const phone = phones.get(network.account(who)?.lid ?? '')
      if (!phone) throw gatewayError('ITEM_UNKNOWN', [`Phone ${who}`])
      return phone
    },
  }
}
