import type { Stanza } from '../../types.ts'
import type { Device } from '../directory/accounts.ts'

/** The fields of POST /sandbox/faults except `Phone`. The README lists the fields of each fault. */
export interface FaultRequest {
  Fault: string
  Ms?: number
  UpMs?: number
  Code?: number
  Count?: number
  Type?: string
  Bytes?: number
  Xmlns?: string
  Below?: number
  Location?: string
  Revision?: number
  Shape?: 'renamed'
  Silent?: boolean
  Form?: 'pn' | 'lid'
  Props?: Record<string, string>
  Attrs?: Record<string, string>
  Conflict?: string
}

/** Immediate effects that faults can have. */
export interface FaultEffects {
  disconnectAll(): void
  expireMedia(): void
  /** Expires all status posts. */
  expireStatuses(): void
  renewServerKey(): void
  redeliver(device: Device, count: number): void
  deliver(device: Device, stanza: Stanza): void
  refreshLinkCodes(): void
  rotateQrCodes(): void
  /** Announces when the version of linked clients expires; without `ms`, withdraws the announcement. */
  announceExpiration(ms: number | undefined): void
  /** Pings all linked clients; those that do not answer in time lose their link. */
  ping(answerMs: number | undefined): void
  /** Called when the phones' clock has been moved. */
  moveClocks(): void
}
