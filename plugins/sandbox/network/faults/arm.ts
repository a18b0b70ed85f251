import { gatewayError } from 'wamux/plugin'
import type { AccountState } from '../directory/accounts.ts'
import type { NetworkState } from '../state.ts'
import { ACCOUNT_FAULTS } from './account-faults.ts'
import type { FaultEffects, FaultRequest } from './fault.ts'
import { NETWORK_FAULTS } from './network-faults.ts'
import { liftRestrictions, RESTRICTIONS } from './restrict.ts'

/** All faults; the README describes them. */
export const FAULT_NAMES: readonly string[] = [
  ...new Set(
    [ACCOUNT_FAULTS, RESTRICTIONS, NETWORK_FAULTS].flatMap((faults) => Object.keys(faults)).concat('clear'),
  ),
]

/** Arms a fault for an account or for the network. Throws FIELD_INVALID for an unknown one. */
export function armFault(
  state: NetworkState,
  account: AccountState | undefined,
  request: FaultRequest,
  effects: FaultEffects,
): void {
  const { Fault } = request
  if (!FAULT_NAMES.includes(Fault)) throw unknownFault(Fault)
  if (Fault === 'clear') return clear(state, account, effects)
  if (account && RESTRICTIONS[Fault]) return RESTRICTIONS[Fault](state, account, request)
  if (account && ACCOUNT_FAULTS[Fault])
    return ACCOUNT_FAULTS[Fault]({ account, faults: state.faults.of(account), request, effects })
  if (!NETWORK_FAULTS[Fault]) throw unknownFault(Fault)
  return NETWORK_FAULTS[Fault](state.faults.networkWide, request, effects)
}

function clear(state: NetworkState, account: AccountState | undefined, effects: FaultEffects): void {
  // Withheld stanzas are delivered, not lost.
  for (const one of account ? [account] : state.directory.all())
    for (const Fault of ['releaseReceipts', 'releaseAcks', 'releaseMessages'])
      ACCOUNT_FAULTS[Fault]?.({ account: one, faults: state.faults.of(one), request: { Fault }, effects })
  state.faults.clear(account)
  for (const one of account ? [account] : state.directory.all()) liftRestrictions(state, one)
}

export function unknownFault(fault: string): Error {
  const names = FAULT_NAMES.join(', ')
  return gatewayError('FIELD_INVALID', [
    'Fault',
    `"${fault}" is not one of ${names} (some of them need Phone)`,
  ])
}
