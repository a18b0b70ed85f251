import { isDeepStrictEqual } from 'node:util'
import { seconds } from '../../stanza.ts'
import type { AccountState } from '../directory/accounts.ts'
import { newRestrictions } from '../directory/restrictions.ts'
import type { NetworkState } from '../state.ts'
import { ACCOUNT_FAULTS, type AccountFaults, newAccountFaults } from './account-faults.ts'
import type { FaultEffects, FaultRequest } from './fault.ts'
import { NETWORK_FAULTS, type NetworkFaults, NO_FAULTS } from './network-faults.ts'
import { endTimelock, RESTRICTIONS } from './restrict.ts'

/** A fault that stays until it is ended or used up. */
export interface ArmedFault extends FaultRequest {
  Phone?: string
}

/** Properties of a fault: whether it needs an account, and whether it stays. */
interface FaultKind {
  Fault: string
  Phone: 'required' | 'optional' | 'none'
  Stays: boolean
}

/** The armed faults. */
export interface Switches {
  /** Records a fault that was just armed. */
  record(account: AccountState | undefined, request: FaultRequest): void
  /** Ends one fault; returns false if it is not one that stays. */
  end(account: AccountState | undefined, name: string): boolean
  armed(): ArmedFault[]
}

/** The fields that each fault sets. */
const OF_NETWORK: Readonly<Record<string, readonly (keyof NetworkFaults)[]>> = {
  silent: ['isSilent'],
  companion_reg_refresh: ['refreshesLinks'],
  refuseLinkCode: ['linkCodeRefusal'],
  passkey: ['asksPasskeys'],
  passkeyBare: ['asksPasskeys', 'omitsPasskeyOptions'],
  passkeyRefused: ['asksPasskeys', 'refusesPasskeys'],
  passkeySilent: ['asksPasskeys', 'ignoresPasskeys'],
  passkeySpoiled: ['asksPasskeys', 'spoilsOpenings'],
  passkeyLate: ['asksPasskeys', 'continuationDelayMs'],
  endCodes: ['endsCodes'],
  badCertificate: ['certificate'],
  smallFrames: ['frameBytes'],
  mediaDown: ['isMediaDown'],
  refuseUploads: ['refusesUploads'],
  down: ['isDown'],
  flapping: ['flapping'],
  failure: ['logins'],
  outdated: ['floor'],
  release: ['revision'],
  swjs: ['serviceWorker'],
  page: ['page'],
  legacyStatuses: ['legacyStatuses'],
  legacyEdits: ['legacyEdits'],
  legacyViewOnce: ['legacyViewOnce'],
  legacyAbout: ['legacyAbout'],
  editForm: ['editForm'],
  secretless: ['secretless'],
  saltless: ['saltless'],
  staleHistory: ['staleHistory'],
  lenientTokens: ['lenientTokens'],
  lenientAddressing: ['lenientAddressing'],
  lenientForms: ['lenientForms'],
  lenientRevokes: ['lenientRevokes'],
  noAlternates: ['namesNoAlternates'],
  noLids: ['tellsNoLids'],
  clock: ['clockMs'],
  props: ['props'],
  hastyLogout: ['unanswersLogouts'],
  pushQueue: ['pushesQueue'],
  quietDevices: ['quietDevices'],
}
const OF_ACCOUNT: Readonly<Record<string, keyof AccountFaults>> = {
  silent: 'isSilent',
  delay: 'delayMs',
  refuse: 'sends',
  refuseSettings: 'settings',
  spoilSettings: 'spoiling',
  failure: 'logins',
  mexError: 'mexErrors',
  holdReceipts: 'held',
  holdAcks: 'heldAcks',
  holdMessages: 'heldMessages',
  garble: 'corruption',
  unavailable: 'corruption',
  addCiphertext: 'corruption',
  replaceCiphertext: 'corruption',
  oldClient: 'isOldClient',
  props: 'props',
  cutQueue: 'queueCut',
  refreshLid: 'staleLids',
}
/** Faults that only end others. */
const ENDINGS = new Set(['clear', 'up', 'releaseReceipts', 'releaseAcks', 'releaseMessages'])
/** Faults that deliver what others withheld, by the name of the fault that ends. */
const RELEASES: Readonly<Record<string, string>> = {
  holdReceipts: 'releaseReceipts',
  holdAcks: 'releaseAcks',
  holdMessages: 'releaseMessages',
}

export function faultKinds(): FaultKind[] {
  const names = new Set(
    [ACCOUNT_FAULTS, RESTRICTIONS, NETWORK_FAULTS].flatMap((faults) => Object.keys(faults)),
  )
  return [...names]
    .filter((name) => !ENDINGS.has(name))
    .map((name) => {
      const isOfAccount = name in ACCOUNT_FAULTS || name in RESTRICTIONS
      const Phone = !isOfAccount ? 'none' : name in NETWORK_FAULTS ? 'optional' : 'required'
      return { Fault: name, Phone, Stays: name in OF_NETWORK || name in OF_ACCOUNT || name in RESTRICTIONS }
    })
}

export function createSwitches(state: NetworkState, effects: FaultEffects): Switches {
  const requests = new Map<string, { account: AccountState | undefined; request: FaultRequest }>()
  const keyOf = (account: AccountState | undefined, name: string): string => `${name} ${account?.phone ?? ''}`

  function isOn(account: AccountState | undefined, { Fault }: FaultRequest): boolean {
    const { faults } = state
    const keys = account ? [] : (OF_NETWORK[Fault] ?? [])
    const isSet = (key: keyof NetworkFaults): boolean =>
      faults.networkWide[key] !== NO_FAULTS[key] && !isUsedUp(faults.networkWide[key])
    if (!account) return keys.length > 0 && keys.every(isSet)
    if (Fault in RESTRICTIONS) return isRestricted(account, Fault)
    const key = OF_ACCOUNT[Fault]
    if (!key) return false
    const value = faults.of(account)[key]
    if (isUsedUp(value) || (key === 'corruption' && faults.of(account).corruption?.how !== Fault))
      return false
    return !isDeepStrictEqual(value, newAccountFaults()[key])
  }

  return {
    record(account, request) {
      const of = request.Fault in NETWORK_FAULTS && !account ? undefined : account
      requests.set(keyOf(of, request.Fault), { account: of, request })
    },
    end(account, name) {
      requests.delete(keyOf(account, name))
      const { faults } = state
      if (account && name in RESTRICTIONS) return endRestriction(state, account, name)
      const release = RELEASES[name]
      if (account && release) {
        ACCOUNT_FAULTS[release]?.({
          account,
          faults: faults.of(account),
          request: { Fault: release },
          effects,
        })
        return true
      }
      const key = account && OF_ACCOUNT[name]
      if (account && key) Object.assign(faults.of(account), { [key]: newAccountFaults()[key] })
      const keys = account ? [] : (OF_NETWORK[name] ?? [])
      for (const one of keys) Object.assign(faults.networkWide, { [one]: NO_FAULTS[one] })
      return Boolean(key) || keys.length > 0
    },
    armed: () =>
      [...requests.values()]
        .filter(({ account, request }) => isOn(account, request))
        .map(({ account, request }) => ({ ...request, ...(account ? { Phone: account.phone } : {}) })),
  }
}

/** A fault with withheld messages is not used up until they are delivered. */
function isUsedUp(value: unknown): boolean {
  if (typeof value === 'object' && value !== null && 'list' in value) return false
  return typeof value === 'object' && value !== null && 'left' in value && value.left === 0
}

function isRestricted({ restrictions }: AccountState, name: string): boolean {
  const { lockedUntil, newChats, isKeyless, refused } = restrictions
  if (name === 'timelock') return lockedUntil > seconds()
  if (name === 'messageCap') return newChats !== undefined
  return name === 'keyless' ? isKeyless : refused !== undefined && refused.left > 0
}

function endRestriction(state: NetworkState, account: AccountState, name: string): boolean {
  const { newChats, isKeyless, refused } = newRestrictions()
  if (name === 'timelock') endTimelock(state, account)
  else if (name === 'messageCap') Object.assign(account.restrictions, { newChats })
  else if (name === 'keyless') Object.assign(account.restrictions, { isKeyless })
  else Object.assign(account.restrictions, { refused })
  return true
}
