import { setTimeout as sleep } from 'node:timers/promises'
import type { Stanza } from '../../types.ts'
import type { AccountState, Device } from '../directory/accounts.ts'
import { type AccountFaults, newAccountFaults, type Refusals } from './account-faults.ts'
import { corruptMessage } from './corrupt.ts'
import { type NetworkFaults, NO_FAULTS } from './network-faults.ts'

/** Faults that tests inject: for the companions of one account, or for the whole network. */
export interface Faults {
  /** Whether the device gets no answers and no stanzas although its connection is open. */
  isSilent(device: Device): boolean
  /** Runs `send` at once, or after the injected delay; the order is kept. */
  delay(device: Device, send: () => void): void
  /** Withholds a receipt; returns whether it did. */
  withhold(device: Device, stanza: Stanza): boolean
  /** The message as delivered to a companion: unchanged or corrupted. */
  corrupt(device: Device, message: Stanza): Stanza
  /** The error code for this account's next send; undefined to accept it. */
  refusal(account: AccountState): string | undefined
  /** The error code for the next app-state request of a companion; undefined to accept it. */
  settingsRefusal(device: Device): string | undefined
  /** The error code for this account's next login; undefined to accept it. */
  failure(account: AccountState): string | undefined
  /** The faults that affect the whole network. */
  readonly networkWide: NetworkFaults
  /** The faults of one account. */
  of(account: AccountState): AccountFaults
  /** Clears the faults of one account, or all. */
  clear(account?: AccountState): void
}

export function createFaults(): Faults {
  const accounts = new Map<AccountState, AccountFaults>()
  const networkWide = { ...NO_FAULTS }
  /** Account faults affect companions, never the account's phone. */
  const forCompanion = ({ id, account }: Device): AccountFaults | undefined =>
    id === 0 ? undefined : accounts.get(account)

  return {
    networkWide,
    isSilent: (device) =>
      device.id !== 0 && (networkWide.isSilent || forCompanion(device)?.isSilent === true),
    delay(device, send) {
      const faults = forCompanion(device)
      if (!faults?.delayMs) return send()
      const { delayMs } = faults
      void faults.delayed.run(async () => {
        await sleep(delayMs, undefined, { ref: false })
        send()
      })
      return undefined
    },
    withhold(device, stanza) {
      const held = forCompanion(device)?.held
      held?.push({ device, stanza })
      return held !== undefined
    },
    corrupt(device, message) {
      const corruption = forCompanion(device)?.corruption
      // Peer messages of the account's own phone are not user messages.
      if (!corruption || corruption.left <= 0 || message.attrs['category'] === 'peer') return message
      corruption.left -= 1
      return corruptMessage(message, corruption)
    },
    refusal: (account) => consume(accounts.get(account)?.sends),
    settingsRefusal: (device) => consume(forCompanion(device)?.settings),
    failure: (account) => consume(accounts.get(account)?.logins),
    of(account) {
      const faults = accounts.get(account) ?? newAccountFaults()
      accounts.set(account, faults)
      return faults
    },
    clear(account) {
      if (account) accounts.delete(account)
      else {
        accounts.clear()
        Object.assign(networkWide, NO_FAULTS)
      }
    },
  }
}

function consume(refusals: Refusals | undefined): string | undefined {
  if (!refusals || refusals.left <= 0) return undefined
  refusals.left -= 1
  return refusals.code
}
