import { createHash } from 'node:crypto'
import { el, seconds } from '../../stanza.ts'
import type { NetworkState } from '../state.ts'
import { type Payload, versionOf } from './login-record.ts'

/** Why a client is not let in. */
export interface ClientRefusal {
  readonly reason: string
  readonly location: string
}

/** Revisions that Meta's web build gains in a day: 57,000 to 77,000. */
const REVISIONS_A_DAY = 67_000
/** WhatsApp accepts a build for some two months. */
const FLOOR_DAYS = 60
const LOCATION = 'frc'

/** The lowest revision that is let in while no fault sets another one. */
export function floorOf({ wire, faults }: Pick<NetworkState, 'wire' | 'faults'>): number {
  return faults.networkWide.floor ?? wire.version[2] - FLOOR_DAYS * REVISIONS_A_DAY
}

/** The revision of the build that the web site serves: a day newer than what Baileys was released with. */
export function revisionOf({ wire, faults }: Pick<NetworkState, 'wire' | 'faults'>): number {
  return faults.networkWide.revision ?? wire.version[2] + REVISIONS_A_DAY
}

/** Judges the version of a client, and the hash of it that a registration has. */
export function refusalOfClient(state: NetworkState, payload: Payload): ClientRefusal | undefined {
  const { networkWide } = state.faults
  if (isBelow(versionOf(payload), [2, 3000, floorOf(state)]))
    return { reason: '405', location: networkWide.floorLocation || LOCATION }
  const { buildHash } = payload.devicePairingData ?? {}
  const isRight = !payload.devicePairingData || Buffer.from(buildHash ?? []).equals(hashOf(payload))
  return isRight ? undefined : { reason: '409', location: LOCATION }
}

/** Announces when the version of each linked client ends; without `ms` it withdraws that. */
export function announceExpiration({ directory }: NetworkState, ms: number | undefined): void {
  const t = ms === undefined ? undefined : seconds() + Math.ceil(ms / 1000)
  for (const { devices } of directory.all())
    for (const { id, link } of devices.values())
      if (id !== 0) link?.send(el('ib', { from: 's.whatsapp.net' }, [el('client_expiration', { t })]))
}

function hashOf(payload: Payload): Buffer {
  return createHash('md5').update(versionOf(payload).join('.')).digest()
}

function isBelow(version: readonly number[], floor: readonly number[]): boolean {
  const at = version.findIndex((part, index) => part !== floor[index])
  return at >= 0 && (version[at] ?? 0) < (floor[at] ?? 0)
}
