import type { GatewayServices } from 'wamux/plugin'
import type { Slot } from '../../snapshots.ts'
import type { Account, SimulatedNetwork, Uplink } from '../../types.ts'

/** A device of an account that is simulated here, as all its parts use it. */
export interface OwnDevice {
  readonly wire: GatewayServices['wire']
  readonly network: SimulatedNetwork
  readonly account: Account
  readonly uplink: Uplink
  /** The part of the state that belongs to the device. */
  readonly slot: Slot
}

/** The part of an account's state that belongs to its phone or bot. */
export function slotOf({ snapshots }: SimulatedNetwork, { keptAs }: Account): Slot {
  return (name, create) => snapshots.slot(`${keptAs} ${name}`, create)
}
