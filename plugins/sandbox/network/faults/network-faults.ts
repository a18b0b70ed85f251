import { MAX_FRAME_BYTES } from '../transport/frames.ts'
import type { FaultEffects, FaultRequest } from './fault.ts'

export type NetworkFaults = typeof NO_FAULTS

/** Network-wide faults, all cleared. */
export const NO_FAULTS = {
  /** Linking first requires new registration material from the companion. */
  refreshesLinks: false,
  refusesLinkCodes: false,
  /** Linking requires a passkey. */
  asksPasskeys: false,
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
  refuseLinkCode: set({ refusesLinkCodes: true }),
  passkey: set({ asksPasskeys: true }),
  endCodes: set({ endsCodes: true }),
  badCertificate: set({ forgesCertificates: true }),
  newServerKey: (_faults, _request, effects) => effects.renewServerKey(),
  smallFrames(faults, { Bytes }) {
    faults.frameBytes = Bytes ?? MAX_FRAME_BYTES
  },
  mediaDown: set({ isMediaDown: true }),
  expireMedia: (_faults, _request, effects) => effects.expireMedia(),
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
