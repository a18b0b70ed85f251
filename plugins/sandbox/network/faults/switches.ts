import { isDeepStrictEqual } from 'node:util'
import { gatewayError, T, type TSchema } from 'wamux/plugin'
import { seconds } from '../../stanza.ts'
import type { AccountState } from '../directory/accounts.ts'
import { newRestrictions } from '../directory/restrictions.ts'
import type { NetworkState } from '../state.ts'
import { newAccountFaults } from './account-faults.ts'
import { FAULT_FIELDS, type FaultRequest } from './fields.ts'
import { NO_FAULTS } from './network-faults.ts'
import { type Arming, FAULTS, type FaultRow, type Sets } from './table.ts'

/** A fault that stays until it is ended or used up. */
export interface ArmedFault extends FaultRequest {
  Phone?: string
}

/** Properties of a fault: whether it needs an account, and whether it stays. */
interface FaultKind {
  Fault: string
  Phone: FaultRow['phone']
  Stays: boolean
}

/** The switches of the faults. */
export interface Switches {
  /** Arms a fault for an account or for the network. Throws FIELD_INVALID for an unknown one. */
  arm(account: AccountState | undefined, request: FaultRequest): void
  /** Ends one fault. Throws FIELD_INVALID if it is not one that stays. */
  end(account: AccountState | undefined, name: string): void
  armed(): ArmedFault[]
}

/** All faults; the README describes them. */
export const FAULT_NAMES: readonly string[] = Object.keys(FAULTS)

export function faultKinds(): FaultKind[] {
  return Object.entries(FAULTS)
    .filter(([, { isEnding }]) => !isEnding)
    .map(([name, { phone, account, restricts, network }]) => ({
      Fault: name,
      Phone: phone,
      Stays: Boolean(account ?? restricts ?? network),
    }))
}

/** The fields of the faults, each described with the faults that have it. */
export function describedFields(): typeof FAULT_FIELDS {
  const fields = Object.entries<TSchema>(FAULT_FIELDS).map(([field, schema]) => {
    const names = FAULT_NAMES.filter((name) => FAULTS[name]?.takes.includes(`\`${field}\``))
    const { description } = schema as { description?: string }
    return [field, T.Optional({ ...schema, description: `${description}, for ${names.join(', ')}` })]
  })
  return Object.fromEntries(fields) as typeof FAULT_FIELDS
}

export function createSwitches(state: NetworkState, server: Arming['server']): Switches {
  const requests = new Map<string, { account: AccountState | undefined; request: FaultRequest }>()
  const keyOf = (account: AccountState | undefined, name: string): string => `${name} ${account?.phone ?? ''}`

  /** Where a fault sets what; undefined for one that does not stay. */
  function settingOf(account: AccountState | undefined, { network, restricts, ...fault }: FaultRow) {
    if (!account) return network && setting(state.faults.networkWide, NO_FAULTS, network)
    if (restricts) return setting(account.restrictions, newRestrictions(), restricts)
    return fault.account && setting(state.faults.of(account), newAccountFaults(), fault.account)
  }

  return {
    arm(given, request) {
      const fault = faultOf(request.Fault)
      if (fault.phone === 'required' && !given) throw unknownFault(request.Fault)
      const account = fault.phone === 'none' ? undefined : given
      settingOf(account, fault)?.arm(request)
      fault.acts?.({ state, server, account, request })
      requests.set(keyOf(given, request.Fault), { account: given, request })
    },
    end(account, name) {
      requests.delete(keyOf(account, name))
      const fault = faultOf(name)
      const ended = settingOf(account, fault)
      if (!ended) throw unknownFault(name)
      fault.ends?.({ state, server, account, request: { Fault: name } })
      ended.end()
    },
    armed: () =>
      [...requests.values()]
        .filter(({ account, request }) => settingOf(account, faultOf(request.Fault))?.isOn(request.Fault))
        .map(({ account, request }) => ({ ...request, ...(account ? { Phone: account.phone } : {}) })),
  }
}

/** What a fault sets in `values`, which have those of `none` without it. */
function setting<S extends object>(values: S, none: S, sets: Sets<S>) {
  const change = (request: FaultRequest, now: S) => (typeof sets === 'function' ? sets(request, now) : sets)
  const keys = Object.keys(change({ Fault: '' }, none)) as (keyof S)[]
  return {
    arm: (request: FaultRequest): void => void Object.assign(values, change(request, values)),
    isOn: (name: string): boolean =>
      keys.every((key) => !isDeepStrictEqual(values[key], none[key]) && isInUse(key, values[key], name)),
    end: (): void => keys.forEach((key) => void Object.assign(values, { [key]: none[key] })),
  }
}

/** A fault with withheld messages is not used up until they are delivered. */
function isInUse(key: PropertyKey, value: unknown, name: string): boolean {
  if (key === 'lockedUntil') return Number(value) > seconds()
  if (typeof value !== 'object' || value === null || 'list' in value) return true
  if ('how' in value && value.how !== name) return false
  return !('left' in value) || value.left !== 0
}

function faultOf(name: string): FaultRow {
  const fault = Object.hasOwn(FAULTS, name) ? FAULTS[name] : undefined
  if (!fault) throw unknownFault(name)
  return fault
}

function unknownFault(fault: string): Error {
  const names = FAULT_NAMES.join(', ')
  return gatewayError('FIELD_INVALID', [
    'Fault',
    `"${fault}" is not one of ${names} (some of them need Phone)`,
  ])
}
