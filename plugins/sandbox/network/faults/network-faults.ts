import { MAX_FRAME_BYTES } from '../transport/frames.ts'
import type { FaultEffects, FaultRequest } from './fault.ts'

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
  /** Connections are accepted but get no answers. */
  isSilent: false,
  /** The connection is closed on a larger frame. */
  frameBytes: MAX_FRAME_BYTES,
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
}

function set(change: Partial<NetworkFaults>): Arm {
  return (faults) => void Object.assign(faults, change)
}
