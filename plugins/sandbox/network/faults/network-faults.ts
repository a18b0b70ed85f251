import type { Habits } from '../../types.ts'
import type { CertificateFault } from '../transport/certificate.ts'
import { MAX_FRAME_BYTES } from '../transport/frames.ts'
import type { AccountRefusals, PropsFault } from './account-faults.ts'

/** A fault of the service worker or the page of the web site. */
export interface SourceFault {
  /** HTTP status; 0 for none. */
  readonly code: number
  /** The field with the revision has another name. */
  readonly isRenamed: boolean
  /** It never answers. */
  readonly isSilent: boolean
  /** Its revision; undefined for the network's. */
  readonly revision: number | undefined
}

/** The network goes down repeatedly. */
export interface Flapping {
  isDown: boolean
}

export type NetworkFaults = typeof NO_FAULTS

/** Network-wide faults, all cleared. */
export const NO_FAULTS = {
  /** Linking first requires new registration material from the companion. */
  refreshesLinks: false,
  /** The error code for requests of a link by code; 0 to accept them. */
  linkCodeRefusal: 0,
  /** Linking requires a passkey. */
  asksPasskeys: false,
  /** The challenge does not come with the request: the companion must query it. */
  omitsPasskeyOptions: false,
  refusesPasskeys: false,
  /** The phone never answers a passkey request. */
  ignoresPasskeys: false,
  /** The opening of the companion's commitment is altered on its way to the phone. */
  spoilsOpenings: false,
  /** Milliseconds until the phone answers a passkey request. */
  continuationDelayMs: 0,
  /** Linking companions get no code to show, as if all had expired. */
  endsCodes: false,
  certificate: undefined as CertificateFault | undefined,
  /** The media host fails every request. */
  isMediaDown: false,
  /** The media host refuses uploads; downloads work. */
  refusesUploads: false,
  /** Connections are refused. */
  isDown: false,
  flapping: undefined as Flapping | undefined,
  /** Connections are accepted but get no answers. */
  isSilent: false,
  /** The connection is closed on a frame of more bytes. */
  frameBytes: MAX_FRAME_BYTES,
  /** The error code for the next logins and registrations. */
  logins: undefined as AccountRefusals | undefined,
  /** Clients below this revision are refused as outdated, with this `location`, or the usual one if empty; undefined for the usual floor. */
  floor: undefined as { below: number; location: string } | undefined,
  /** The revision of the current build; undefined for the usual one. */
  revision: undefined as number | undefined,
  serviceWorker: undefined as SourceFault | undefined,
  page: undefined as SourceFault | undefined,
  legacyEdits: false,
  /** Companions get status posts as messages. */
  legacyStatuses: false,
  /** Companions get messages that are viewed once with their content. */
  legacyViewOnce: false,
  /** The query that set the about text before it was a stored one has an effect. */
  legacyAbout: false,
  editForm: 'lid' as 'pn' | 'lid',
  secretless: false,
  saltless: undefined as Habits['saltless'],
  staleHistory: false,
  /** A message to a stranger needs no token. */
  lenientTokens: false,
  /** The addresses of a 1:1 message may be of either space, and mixed. */
  lenientAddressing: false,
  /** Media and posts need not say of which kind they are. */
  lenientForms: false,
  /** Whoever is in a group may mark a revocation as that of an admin. */
  lenientRevokes: false,
  /** Stanzas of 1:1 messages name their sender in one form only. */
  namesNoAlternates: false,
  /** Companions that look users up are told no LIDs. */
  tellsNoLids: false,
  /** Milliseconds by which the clock of the network and the phones is ahead. */
  clockMs: 0,
  props: undefined as PropsFault | undefined,
  /** A client that logs out is unlinked without an answer. */
  unanswersLogouts: false,
  /** Offline queues are sent at once, without requests. */
  pushesQueue: false,
  /** Nobody is told of added and removed devices. */
  quietDevices: false,
}
