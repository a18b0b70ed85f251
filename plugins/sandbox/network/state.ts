import type { GatewayServices, Log } from 'wamux/plugin'
import type { Line } from '../types.ts'
import type { AccountState, Directory } from './accounts.ts'
import type { Business } from './business.ts'
import type { Calls } from './calls.ts'
import type { Counters } from './counters.ts'
import type { Delivery } from './delivery.ts'
import type { Faults } from './faults.ts'
import type { Groups } from './groups.ts'
import type { Newsletters } from './newsletters.ts'
import type { Unpairs } from './unpaired.ts'

/** Everything that the parts of the network share. */
export interface NetworkState {
  readonly business: Business
  readonly wire: GatewayServices['wire']
  readonly log: Log
  readonly directory: Directory
  readonly counters: Counters
  readonly delivery: Delivery
  readonly faults: Faults
  readonly groups: Groups
  readonly newsletters: Newsletters
  readonly calls: Calls
  readonly unpairs: Unpairs
  /** Status posts: whose, and for whom. What they say only the phones can read. */
  readonly statuses: { Id: string; From: string; To: string[] }[]
  /** The phones on line, by account. */
  readonly phones: Map<AccountState, Line>
  /** `host:port` of the media host. */
  readonly mediaHost: string
  /** What the media host keeps under that path. */
  readMedia(path: string): Buffer | undefined
  /** Whether the media host gave out this handle for a newsletter's file. */
  isUpload(handle: string): boolean
}
