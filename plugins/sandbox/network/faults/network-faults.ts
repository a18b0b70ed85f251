import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_FRAME_BYTES } from '../transport/frames.ts'
import { type PropsFault, propsFault, type Refusals, refusals } from './account-faults.ts'
import type { FaultEffects, FaultRequest } from './fault.ts'

/** What is wrong with the service worker or the page of the web site. */
export interface SourceFault {
  /** HTTP status; 0 for none. */
  readonly code: number
  /** The field with the revision has another name. */
  readonly isRenamed: boolean
  /** It never answers. */
  readonly isSilent: boolean
  /** The revision that it has; undefined for that of the network. */
  readonly revision: number | undefined
}

/** The network is down for a while, again and again. */
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
  /** The challenge does not come with the request; the companion must query it. */
  omitsPasskeyOptions: false,
  refusesPasskeys: false,
  /** The phone never answers a passkey. */
  ignoresPasskeys: false,
  /** The opening of the companion's commitment is changed on its way to the phone. */
  spoilsOpenings: false,
  /** Milliseconds until the phone answers a passkey. */
  continuationDelayMs: 0,
  /** Linking gets no code to show: to the companion all of them have expired. */
  endsCodes: false,
  forgesCertificates: false,
  /** The media host fails every request. */
  isMediaDown: false,
  /** The media host refuses uploads; downloads work. */
  refusesUploads: false,
  /** Connections are refused. */
  isDown: false,
  flapping: undefined as Flapping | undefined,
  /** Connections are accepted but get no answers. */
  isSilent: false,
  /** The connection is closed on a larger frame. */
  frameBytes: MAX_FRAME_BYTES,
  /** The error code for the next logins and registrations. */
  logins: undefined as Refusals | undefined,
  /** Clients of a lower revision are refused as outdated; undefined for the usual one. */
  floor: undefined as number | undefined,
  /** `location` of that refusal; empty for the usual one. */
  floorLocation: '',
  /** The revision of the current build; undefined for the usual one. */
  revision: undefined as number | undefined,
  serviceWorker: undefined as SourceFault | undefined,
  page: undefined as SourceFault | undefined,
  legacyEdits: false,
  editForm: 'lid' as 'pn' | 'lid',
  secretless: false,
  /** Milliseconds by which the phones' clock is ahead. */
  clockMs: 0,
  props: undefined as PropsFault | undefined,
  /** Offline queues are sent at once, unasked. */
  pushesQueue: false,
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
  badCertificate: set({ forgesCertificates: true }),
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
  pushQueue: set({ pushesQueue: true }),
  props(faults, request) {
    faults.props = propsFault(request)
  },
  swjs(faults, request) {
    faults.serviceWorker = sourceFault(request)
  },
  page(faults, request) {
    faults.page = sourceFault(request)
  },
  legacyEdits: set({ legacyEdits: true }),
  editForm(faults, { Form = 'pn' }) {
    faults.editForm = Form
  },
  secretless: set({ secretless: true }),
  clock(faults, { Ms = DAY_MS }, effects) {
    faults.clockMs = Ms
    effects.moveClocks()
  },
}

const DAY_MS = 24 * 3_600_000
const DOWN_MS = 700
const UP_MS = 3_000

/** Ends when another one, or none, is armed. */
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

/** No source gives one of this day, and no client has it. */
const ANY_REVISION = 4_000_000_000

function sourceFault({ Code, Shape, Silent = false, Revision }: FaultRequest): SourceFault {
  const isRenamed = Shape === 'renamed'
  const code = Code ?? (isRenamed || Silent || Revision !== undefined ? 0 : 404)
  return { code, isRenamed, isSilent: Silent, revision: Revision }
}

function set(change: Partial<NetworkFaults>): Arm {
  return (faults) => void Object.assign(faults, change)
}
