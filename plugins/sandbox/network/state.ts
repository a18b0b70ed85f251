import type { GatewayServices, Log } from 'wamux/plugin'
import type { Line } from '../types.ts'
import type { AccountState, Directory } from './accounts.ts'
import type { Counters } from './counters.ts'
import type { Delivery } from './delivery.ts'
import type { Faults } from './faults.ts'
import type { Groups } from './groups.ts'
import type { Unpairs } from './unpaired.ts'

/** Everything that the parts of the network share. */
export interface NetworkState {
  readonly wire: GatewayServices['wire']
  readonly log: Log
  readonly directory: Directory
  readonly counters: Counters
  readonly delivery: Delivery
  readonly faults: Faults
  readonly groups: Groups
  readonly unpairs: Unpairs
  /** The phones on line, by account. */
  readonly phones: Map<AccountState, Line>
  /** `host:port` of the media host. */
  readonly mediaHost: string
}
