import { setTimeout as sleep } from 'node:timers/promises'
import { createSerialQueue, type SerialQueue } from 'wamux/plugin'
import type { Stanza } from '../../types.ts'
import type { AccountState, Device, DeviceLink } from '../directory/accounts.ts'
import { type AccountFaults, type AccountRefusals, newAccountFaults } from './account-faults.ts'
import { corruptMessage } from './corrupt.ts'
import { type NetworkFaults, NO_FAULTS } from './network-faults.ts'

/** Faults that tests inject: for the companions of one account, or for the whole network. */
export interface Faults {
  /** Whether the device gets no answers and stanzas although its connection is open. */
  isSilent(device: Device): boolean
  /** Runs `send` at once or after the injected delay, in order. */
  delay(device: Device, send: () => void): void
  /** Withholds a receipt, a message or the ack of one; returns whether it did. */
  withhold(device: Device, stanza: Stanza): boolean
  /** The message as delivered to a companion: unchanged or corrupted. */
  corrupt(device: Device, message: Stanza): Stanza
  /** The error code for this account's next send; undefined to accept it. */
  refusal(account: AccountState): string | undefined
  /** The error code for the next app-state request of a companion; undefined to accept it. */
  settingsRefusal(device: Device): string | undefined
  /** The code of the error in the answer to a stored query of a companion; undefined for none. */
  mexError(device: Device): string | undefined
  /** Whether what a companion reads of this collection is altered. */
  spoilsSettings(device: Device, collection: string): boolean
  /** Whether the link ends after this stanza of the offline queue. */
  cutsQueue(device: Device): boolean
  /** The failure for this account's next login, or for a registration; undefined to accept it. */
  failure(account?: AccountState): AccountRefusals | undefined
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
  /** Delayed stanzas of each connection, in order. */
  const lines = new WeakMap<DeviceLink, { readonly queue: SerialQueue; waiting: number }>()
  /** Account faults affect companions, never the account's phone. */
  const forCompanion = ({ id, account }: Device): AccountFaults | undefined =>
    id === 0 ? undefined : accounts.get(account)

  return {
    networkWide,
    isSilent: (device) =>
      device.id !== 0 && (networkWide.isSilent || forCompanion(device)?.isSilent === true),
    delay(device, send) {
      const { link } = device
      const { delayMs = 0 } = forCompanion(device) ?? {}
      if (!link) return send()
      const line = lines.get(link) ?? { queue: createSerialQueue(), waiting: 0 }
      lines.set(link, line)
      // Stanzas that still wait when the delay ends go first.
      if (delayMs === 0 && line.waiting === 0) return send()
      line.waiting += 1
      void line.queue.run(async () => {
        if (delayMs > 0 && device.link === link) await sleep(delayMs, undefined, { ref: false })
        line.waiting -= 1
        // Stanzas that wait for an ended connection are lost with it.
        if (device.link === link) send()
      })
      return undefined
    },
    withhold(device, stanza) {
      const { held, heldAcks, heldMessages } = forCompanion(device) ?? {}
      if (stanza.tag === 'ack') return (heldAcks?.push({ device, stanza }) ?? 0) > 0
      if (stanza.tag === 'receipt') return (held?.push({ device, stanza }) ?? 0) > 0
      // Peer messages between the account's own devices are not withheld.
      if (stanza.tag !== 'message' || stanza.attrs['category'] === 'peer') return false
      if (!heldMessages || heldMessages.left <= 0) return false
      heldMessages.left -= 1
      return heldMessages.list.push({ device, stanza }) > 0
    },
    corrupt(device, message) {
      const corruption = forCompanion(device)?.corruption
      // Peer messages of the account's own phone are not user messages.
      if (!corruption || corruption.left <= 0 || message.attrs['category'] === 'peer') return message
      corruption.left -= 1
      return corruptMessage(message, corruption)
    },
    refusal: (account) => consume(accounts.get(account)?.sends)?.code,
    settingsRefusal: (device) => consume(forCompanion(device)?.settings)?.code,
    mexError: (device) => consume(forCompanion(device)?.mexErrors)?.code,
    spoilsSettings(device, collection) {
      const spoiling = forCompanion(device)?.spoiling
      if (!spoiling || spoiling.left <= 0 || (spoiling.collection ?? collection) !== collection) return false
      spoiling.left -= 1
      return true
    },
    cutsQueue(device) {
      const cut = forCompanion(device)?.queueCut
      if (!cut || cut.left <= 0) return false
      cut.left -= 1
      return cut.left === 0
    },
    failure: (account) => consume(networkWide.logins) ?? consume(account && accounts.get(account)?.logins),
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

function consume(refusals: AccountRefusals | undefined): AccountRefusals | undefined {
  if (!refusals || refusals.left <= 0) return undefined
  refusals.left -= 1
  return refusals
}
