import { gatewayError } from 'wamux/plugin'
import { el } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import type { AccountState, Device } from './accounts.ts'
import { type Spoiling, spoil } from './spoil.ts'

export interface FaultOrder {
  Fault: string
  /** Milliseconds, for `delay`. */
  Ms?: number
  /** Error code, for `refuse`, `refuseSettings`, `failure` and `streamError`. */
  Code?: number
  /** How many times; for ever when absent, once for `garble` and `unavailable`. */
  Count?: number
  /** Of an `unavailable` message. */
  Type?: string
}

/** What the network does to the companions of an account, on demand. */
export interface Faults {
  /** Answers nothing and forwards nothing, with the connection left open. */
  isSilent(device: Device): boolean
  /** Runs `send` now, or later in the same order. */
  delayed(device: Device, send: () => void): void
  /** Keeps a receipt back; true if it did. */
  holds(device: Device, stanza: Stanza): boolean
  /** A message as it reaches a companion: whole, or spoiled. */
  passed(device: Device, message: Stanza): Stanza
  /** The code to refuse this account's next send with. */
  refusal(account: AccountState): string | undefined
  /** The code to refuse its companions' next request for shared settings with. */
  settingsRefusal(device: Device): string | undefined
  /** Whether this login is to be refused, and with which code. */
  failure(account: AccountState): string | undefined
  /** What ails the whole network. */
  readonly wide: Readonly<typeof CLEAR>
  /** Rejects FIELD_INVALID for what there is none of. `account` is undefined for network-wide ones. */
  order(account: AccountState | undefined, order: FaultOrder, hands: Hands): void
}

/** What ordering a fault may need to do at once. */
export interface Hands {
  cutAll(): void
  expireMedia(): void
  redeliver(device: Device, count: number): void
  release(device: Device, stanza: Stanza): void
}

interface Armed {
  silent: boolean
  ms: number
  chain: Promise<void>
  held: { device: Device; stanza: Stanza }[] | undefined
  refuse: { code: string; left: number } | undefined
  refuseSettings: { code: string; left: number } | undefined
  failure: { code: string; left: number } | undefined
  spoiling: (Spoiling & { left: number }) | undefined
}

export const FAULT_NAMES =
  'drop, silent, delay, refuse, refuseSettings, failure, replaced, streamError, holdReceipts, releaseReceipts, redeliver, timelock, messageCap, keyless, refuseQuery, companion_reg_refresh, refuseLinkCode, passkey, badCertificate, garble, unavailable, mediaDown, expireMedia, refuseUploads, down, up, clear'

const CLEAR = {
  /** Linking asks the companion for new registration material first. */
  refreshesLinks: false,
  refusesLinkCodes: false,
  /** Linking needs a passkey. */
  asksPasskeys: false,
  forgesCertificates: false,
  /** The media host fails every request. */
  isMediaDown: false,
  /** The media host takes no files; what it has it gives. */
  refusesUploads: false,
  /** No connection is taken. */
  isDown: false,
  /** Connections are taken, and nothing is said on them. */
  isSilent: false,
}

export function createFaults(): Faults {
  const armed = new Map<AccountState, Armed>()
  const wide = { ...CLEAR }

  function of(account: AccountState): Armed {
    const now = armed.get(account) ?? {
      silent: false,
      ms: 0,
      chain: Promise.resolve(),
      held: undefined,
      refuse: undefined,
      refuseSettings: undefined,
      failure: undefined,
      spoiling: undefined,
    }
    armed.set(account, now)
    return now
  }
  const isCompanion = (device: Device): boolean => device.id !== 0

  function orderWide({ Fault }: FaultOrder, hands: Hands): boolean {
    if (Fault === 'companion_reg_refresh') wide.refreshesLinks = true
    else if (Fault === 'refuseLinkCode') wide.refusesLinkCodes = true
    else if (Fault === 'passkey') wide.asksPasskeys = true
    else if (Fault === 'badCertificate') wide.forgesCertificates = true
    else if (Fault === 'mediaDown') wide.isMediaDown = true
    else if (Fault === 'expireMedia') hands.expireMedia()
    else if (Fault === 'refuseUploads') wide.refusesUploads = true
    else if (Fault === 'silent') wide.isSilent = true
    else if (Fault === 'down' || Fault === 'up') {
      wide.isDown = Fault === 'down'
      if (wide.isDown) hands.cutAll()
    } else if (Fault === 'clear') {
      Object.assign(wide, CLEAR)
      armed.clear()
    } else return false
    return true
  }

  function orderOne(
    account: AccountState,
    { Fault, Ms, Code, Type, Count = Number.POSITIVE_INFINITY }: FaultOrder,
    hands: Hands,
  ): boolean {
    const fault = of(account)
    const companions = [...account.devices.values()].filter(isCompanion)
    const closeWith = (...last: Stanza[]): void => {
      for (const { link } of companions) link?.close(...last)
    }
    if (Fault === 'silent') fault.silent = true
    else if (Fault === 'delay') fault.ms = Ms ?? 1000
    else if (Fault === 'refuse') fault.refuse = { code: String(Code ?? 463), left: Count }
    else if (Fault === 'refuseSettings') fault.refuseSettings = { code: String(Code ?? 403), left: Count }
    else if (Fault === 'failure') fault.failure = { code: String(Code ?? 503), left: Count }
    else if (Fault === 'garble' || Fault === 'unavailable')
      fault.spoiling = { how: Fault, type: Type, left: Number.isFinite(Count) ? Count : 1 }
    else if (Fault === 'drop') closeWith()
    else if (Fault === 'replaced') closeWith(el('stream:error', {}, [el('conflict', { type: 'replaced' })]))
    else if (Fault === 'streamError') closeWith(el('stream:error', { code: Code ?? 503 }))
    else if (Fault === 'holdReceipts') fault.held = []
    else if (Fault === 'releaseReceipts') {
      const held = fault.held ?? []
      fault.held = undefined
      for (const { device, stanza } of held) hands.release(device, stanza)
    } else if (Fault === 'redeliver')
      for (const device of companions) hands.redeliver(device, Number.isFinite(Count) ? Count : 1)
    else return false
    return true
  }

  return {
    isSilent: (device) =>
      isCompanion(device) && (wide.isSilent || armed.get(device.account)?.silent === true),
    delayed(device, send) {
      const fault = isCompanion(device) ? armed.get(device.account) : undefined
      if (!fault?.ms) return send()
      const { ms } = fault
      fault.chain = fault.chain
        .then(() => new Promise((resolve) => setTimeout(resolve, ms).unref()))
        .then(send)
      return undefined
    },
    holds(device, stanza) {
      const held = isCompanion(device) ? armed.get(device.account)?.held : undefined
      held?.push({ device, stanza })
      return held !== undefined
    },
    passed(device, message) {
      const spoiling = isCompanion(device) ? armed.get(device.account)?.spoiling : undefined
      // What the own phone tells its companions is none of the user's messages.
      if (!spoiling || spoiling.left <= 0 || message.attrs['category'] === 'peer') return message
      spoiling.left -= 1
      return spoil(message, spoiling)
    },
    refusal: (account) => take(armed.get(account)?.refuse),
    settingsRefusal: (device) =>
      isCompanion(device) ? take(armed.get(device.account)?.refuseSettings) : undefined,
    failure: (account) => take(armed.get(account)?.failure),
    wide,
    order(account, order, hands) {
      if (!account && order.Fault !== 'clear' && !orderWide(order, hands)) throw missing(order.Fault)
      if (account && order.Fault === 'clear') armed.delete(account)
      else if (!account) orderWide(order, hands)
      else if (!orderOne(account, order, hands) && !orderWide(order, hands)) throw missing(order.Fault)
    },
  }
}

function take(armed: { code: string; left: number } | undefined): string | undefined {
  if (!armed || armed.left <= 0) return undefined
  armed.left -= 1
  return armed.code
}

function missing(fault: string): Error {
  return gatewayError('FIELD_INVALID', [
    'Fault',
    `"${fault}" is none of ${FAULT_NAMES} (some of them need Phone)`,
  ])
}
