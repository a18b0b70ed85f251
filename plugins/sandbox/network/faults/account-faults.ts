import type { Stanza } from '../../types.ts'
import type { Device } from '../directory/accounts.ts'
import type { Corruption } from './corrupt.ts'

/** An error code for the next `left` requests. */
export interface AccountRefusals {
  readonly code: string
  /** Further attributes of a failure, besides its reason. */
  readonly attrs?: Readonly<Record<string, string>> | undefined
  left: number
}

interface Held {
  readonly device: Device
  readonly stanza: Stanza
}

/** AB props added to the usual ones, and the seconds after which clients query them again; undefined for a day. */
export interface PropsFault {
  readonly props: Readonly<Record<string, string>>
  readonly refreshSeconds: number | undefined
}

/** The faults of one account. They affect its companions, except `isOldClient`, which affects its phone. */
export interface AccountFaults {
  isSilent: boolean
  delayMs: number
  held: Held[] | undefined
  /** Withheld acks of accepted messages. */
  heldAcks: Held[] | undefined
  /** Withheld messages, delivered after those that arrive meanwhile. */
  heldMessages: { readonly list: Held[]; left: number } | undefined
  sends: AccountRefusals | undefined
  settings: AccountRefusals | undefined
  logins: AccountRefusals | undefined
  /** Errors in answers to stored queries (MEX), beside their data. */
  mexErrors: AccountRefusals | undefined
  /** In replies with settings of this collection, or any, a record is altered. */
  spoiling: { readonly collection: string | undefined; left: number } | undefined
  corruption: (Corruption & { left: number }) | undefined
  /** The account's phone has a version that does not stamp messages with their chat's timer. */
  isOldClient: boolean
  props: PropsFault | undefined
  /** The link is closed after this many stanzas of the offline queue. */
  queueCut: { left: number } | undefined
  /** The acks of so many messages say that the LID of the recipient is to be looked up again. */
  staleLids: { left: number } | undefined
}

export function newAccountFaults(): AccountFaults {
  return {
    isSilent: false,
    delayMs: 0,
    held: undefined,
    heldAcks: undefined,
    heldMessages: undefined,
    sends: undefined,
    settings: undefined,
    logins: undefined,
    mexErrors: undefined,
    spoiling: undefined,
    corruption: undefined,
    isOldClient: false,
    props: undefined,
    queueCut: undefined,
    staleLids: undefined,
  }
}
