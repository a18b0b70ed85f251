import { setTimeout as sleep } from 'node:timers/promises'
import type { Habits } from '../../types.ts'
import { CERTIFICATE_FAULTS, type CertificateFault } from '../transport/certificate.ts'
import { MAX_FRAME_BYTES } from '../transport/frames.ts'
import { type AccountRefusals, type PropsFault, propsFault, refusals } from './account-faults.ts'
import type { FaultEffects, FaultRequest } from './fault.ts'

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
  /** Clients below this revision are refused as outdated; undefined for the usual floor. */
  floor: undefined as number | undefined,
  /** `location` of that refusal; empty for the usual one. */
  floorLocation: '',
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

type Arm = (faults: NetworkFaults, request: FaultRequest, effects: FaultEffects) => void

/** Faults that need no account, by name. */
export const NETWORK_FAULTS: Readonly<Record<string, Arm>> = {
  silent: set({ isSilent: true }),
  companion_reg_refresh: set({ refreshesLinks: true }),
  refuseLinkCode(faults, { Code }) {
    faults.linkCodeRefusal = Code ?? 429
  },
  refreshLinkCode: (_faults, _request, effects) => effects.refreshLinkCodes(),
  rotateQr: (_faults, _request, effects) => effects.rotateQrCodes(),
  passkey: set({ asksPasskeys: true }),
  passkeyBare: set({ asksPasskeys: true, omitsPasskeyOptions: true }),
  passkeyRefused: set({ asksPasskeys: true, refusesPasskeys: true }),
  passkeySilent: set({ asksPasskeys: true, ignoresPasskeys: true }),
  passkeySpoiled: set({ asksPasskeys: true, spoilsOpenings: true }),
  passkeyLate(faults, { Ms }) {
    Object.assign(faults, { asksPasskeys: true, continuationDelayMs: Ms ?? 1000 })
  },
  endCodes: set({ endsCodes: true }),
  badCertificate(faults, { Type }) {
    faults.certificate = CERTIFICATE_FAULTS.find((fault) => fault === Type) ?? 'forged'
  },
  newServerKey: (_faults, _request, effects) => effects.renewServerKey(),
  smallFrames(faults, { Bytes }) {
    faults.frameBytes = Bytes ?? MAX_FRAME_BYTES
  },
  mediaDown: set({ isMediaDown: true }),
  expireMedia: (_faults, _request, effects) => effects.expireMedia(),
  expireStatuses: (_faults, _request, effects) => effects.expireStatuses(),
  refuseUploads: set({ refusesUploads: true }),
  down(faults, _request, effects) {
    faults.isDown = true
    effects.disconnectAll()
  },
  up: set({ isDown: false }),
  flapping(faults, { Ms = DOWN_MS, UpMs = UP_MS }, effects) {
    const flapping: Flapping = { isDown: false }
    faults.flapping = flapping
    void flap(faults, flapping, { upMs: UpMs, downMs: Ms }, effects)
  },
  failure(faults, request) {
    faults.logins = refusals(request, 503)
  },
  outdated(faults, { Below = ANY_REVISION, Location = '' }) {
    Object.assign(faults, { floor: Below, floorLocation: Location })
  },
  expires: (_faults, { Ms }, effects) => effects.announceExpiration(Ms),
  release(faults, { Revision = ANY_REVISION }) {
    faults.revision = Revision
  },
  ping: (_faults, { Ms }, effects) => effects.ping(Ms),
  hastyLogout: set({ unanswersLogouts: true }),
  pushQueue: set({ pushesQueue: true }),
  quietDevices: set({ quietDevices: true }),
  props(faults, request) {
    faults.props = propsFault(request)
  },
  swjs(faults, request) {
    faults.serviceWorker = sourceFault(request)
  },
  page(faults, request) {
    faults.page = sourceFault(request)
  },
  legacyStatuses: set({ legacyStatuses: true }),
  legacyEdits: set({ legacyEdits: true }),
  legacyViewOnce: set({ legacyViewOnce: true }),
  legacyAbout: set({ legacyAbout: true }),
  editForm(faults, { Form = 'pn' }) {
    faults.editForm = Form
  },
  secretless: set({ secretless: true }),
  saltless(faults, { Type }) {
    faults.saltless = Type === 'history' || Type === 'settings' ? Type : 'both'
  },
  staleHistory: set({ staleHistory: true }),
  lenientTokens: set({ lenientTokens: true }),
  lenientAddressing: set({ lenientAddressing: true }),
  lenientForms: set({ lenientForms: true }),
  lenientRevokes: set({ lenientRevokes: true }),
  noAlternates: set({ namesNoAlternates: true }),
  noLids: set({ tellsNoLids: true }),
  clock(faults, { Ms = DAY_MS }, effects) {
    faults.clockMs = Ms
    effects.moveClocks()
  },
}

const DAY_MS = 24 * 3_600_000
const DOWN_MS = 700
const UP_MS = 3_000

/** Ends when another flapping, or none, is armed. */
async function flap(
  faults: NetworkFaults,
  flapping: Flapping,
  { upMs, downMs }: { upMs: number; downMs: number },
  effects: FaultEffects,
): Promise<void> {
  while (faults.flapping === flapping) {
    await sleep(flapping.isDown ? downMs : upMs, undefined, { ref: false })
    flapping.isDown = !flapping.isDown
    if (flapping.isDown && faults.flapping === flapping) effects.disconnectAll()
  }
}

/** Far above any current revision: no real source reports it, no client has it. */
const ANY_REVISION = 4_000_000_000

function sourceFault({ Code, Shape, Silent = false, Revision }: FaultRequest): SourceFault {
  const isRenamed = Shape === 'renamed'
  const code = Code ?? (isRenamed || Silent || Revision !== undefined ? 0 : 404)
  return { code, isRenamed, isSilent: Silent, revision: Revision }
}

function set(change: Partial<NetworkFaults>): Arm {
  return (faults) => void Object.assign(faults, change)
}
