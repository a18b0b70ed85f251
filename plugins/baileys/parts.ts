import type { GatewayServices, Kernel } from 'wamux/plugin'
import type { StoredProps } from './app-state/stored-props.ts'
import type { Construction } from './construction.ts'
import type { SentChatCache } from './journal/sent-chats.ts'
import type { Files } from './media/media-file.ts'
import type { Dialled } from './network/network.ts'
import type { SessionNetworks } from './network/session-networks.ts'
import type { Handoff } from './pairing/linking.ts'
import type { LinkTimes } from './pairing/times.ts'
import type { RecordCache } from './signal/live-records.ts'
import type { Backpressure } from './socket/backpressure.ts'
import type { ResendLimit } from './socket/retries/resend-limit.ts'
import type { UnstoredOutcomes } from './store/unstored-outcomes.ts'
import type { Traffic } from './traffic.ts'
import type { Version } from './web-version/revision.ts'
import type { WebVersions } from './web-version/web-versions.ts'

export interface DriverConfig extends LinkTimes {
  /** Level of Baileys' own log lines. */
  log: string
  keepAliveMs: number
  queryTimeoutMs: number
  ackTimeoutMs: number
  trialMs: number
  reuploadTimeoutMs: number
  cacheBytes: number
  queue: number
  backlog: number
  passkeyHandoff: Handoff
}

export interface DriverParts {
  db: Kernel<unknown>['db']
  vault: Kernel<unknown>['vault']
  events: Kernel<unknown>['events']
  peers: Kernel<unknown>['peers']
  config: DriverConfig
  files: Files
  pace: GatewayServices['pace'] | undefined
  traffic: Traffic
  unstored: UnstoredOutcomes
  networks: SessionNetworks
  webVersions: WebVersions
  /** Name of the network on which all sessions are linked. */
  networkName(): string
}

export interface LinkParts extends DriverParts {
  construction: Construction
  network: Dialled
  version: Version
  /** Logins of the session in this process. */
  attempts: { count: number }
  /** Kept for the session as long as the process runs. */
  resendLimit: ResendLimit
  /** AB props stored by the last link. */
  props: StoredProps | undefined
  backpressure: Backpressure
  /** Signal records of all links. */
  records: RecordCache
  sentChats: SentChatCache
}
