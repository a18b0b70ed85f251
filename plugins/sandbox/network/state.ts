import type { GatewayServices, Log } from 'wamux/plugin'
import type { Snapshots } from '../snapshots.ts'
import type { PhoneHandler } from '../types.ts'
import type { Business } from './business/business.ts'
import type { Counters } from './counters.ts'
import type { AccountState, Directory } from './directory/accounts.ts'
import type { Faults } from './faults/faults.ts'
import type { Groups } from './groups/groups.ts'
import type { CallLinks, OngoingCalls } from './messaging/calls.ts'
import type { StanzaDelivery } from './messaging/delivery.ts'
import type { MediaHost } from './messaging/media-host.ts'
import type { StatusPost } from './messaging/statuses.ts'
import type { Newsletters } from './newsletters/newsletters.ts'
import type { createDecoder } from './transport/decode.ts'
import type { createEncoder } from './transport/encode.ts'
import type { LoginRecord } from './transport/login-record.ts'
import type { ServerPings } from './transport/server-pings.ts'
import type { UnpairedCompanions } from './transport/unpaired.ts'

/** The network's own time (Unix seconds), sent to clients at login and with each pong. Tests can move it. */
export function clockOf({ faults }: Pick<NetworkState, 'faults'>): number {
  return Math.floor((Date.now() + faults.networkWide.clockMs) / 1000)
}

/** Tells the phones that their clock has been moved. */
export function moveClocks({ phones }: Pick<NetworkState, 'phones'>): void {
  for (const phone of phones.values()) phone.clockMoved?.()
}

/** The state shared by all domains of the network. */
export interface NetworkState {
  readonly business: Business
  readonly wire: GatewayServices['wire']
  readonly log: Log
  /** The codec of binary stanzas. */
  readonly encode: ReturnType<typeof createEncoder>
  readonly decode: ReturnType<typeof createDecoder>
  readonly directory: Directory
  readonly counters: Counters
  readonly delivery: StanzaDelivery
  readonly pings: ServerPings
  readonly faults: Faults
  readonly groups: Groups
  readonly newsletters: Newsletters
  readonly calls: OngoingCalls
  readonly callLinks: CallLinks
  readonly unpairedCompanions: UnpairedCompanions
  /** The status posts of the last day. */
  readonly statuses: StatusPost[]
  /** The last logins and registrations, oldest first. */
  readonly logins: LoginRecord[]
  readonly snapshots: Snapshots
  /** The connected phones by account. */
  readonly phones: Map<AccountState, PhoneHandler>
  readonly media: MediaHost
}
