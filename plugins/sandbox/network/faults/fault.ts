import type { Stanza } from '../../types.ts'
import type { Device } from '../directory/accounts.ts'

/** The fields of POST /sandbox/faults but `Phone`. The README says which fault uses which. */
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

/** What arming a fault may do immediately. */
export interface FaultEffects {
  disconnectAll(): void
  expireMedia(): void
  /** Ends the day of all status posts. */
  expireStatuses(): void
  renewServerKey(): void
  redeliver(device: Device, count: number): void
  deliver(device: Device, stanza: Stanza): void
  refreshLinkCodes(): void
  rotateQrCodes(): void
  /** Announces when the version of linked clients ends; withdraws it without `ms`. */
  announceExpiration(ms: number | undefined): void
  /** The clock of the phones has been moved. */
  moveClocks(): void
}
