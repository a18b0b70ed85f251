import { createHash } from 'node:crypto'
import { clock } from 'wamux/plugin'
import { el, seconds } from '../../stanza.ts'
import { bulletin } from '../messaging/bulletins.ts'
import type { NetworkState } from '../state.ts'
import { versionOf } from './login-record.ts'
import type { Payload } from './web-payload.ts'

/** Why a client is refused. */
export interface ClientRefusal {
  readonly reason: string
  readonly location: string
}

/** Daily growth of the revision of Meta's web build: 57,000 to 77,000. */
const REVISIONS_A_DAY = 67_000
/** WhatsApp accepts a build for about two months. */
const FLOOR_DAYS = 60
const LOCATION = 'frc'
const DAY_MS = 24 * 3_600_000

/** The revision of Baileys' own build, or a newer one by as much as the clock was set forward. */
function ownRevision({ version }: NetworkState['wire']): number {
  return version[2] + Math.floor((clock.aheadMs / DAY_MS) * REVISIONS_A_DAY)
}

/** The lowest accepted revision, unless a fault sets another. */
export function floorOf({ wire, faults }: Pick<NetworkState, 'wire' | 'faults'>): number {
  return faults.networkWide.floor?.below ?? ownRevision(wire) - FLOOR_DAYS * REVISIONS_A_DAY
}

/** The revision of the build on the web site: a day newer than the one with which Baileys was released. */
export function revisionOf({ wire, faults }: Pick<NetworkState, 'wire' | 'faults'>): number {
  return faults.networkWide.revision ?? ownRevision(wire) + REVISIONS_A_DAY
}

/** Checks the version of a client, and its hash in a registration. */
export function refusalOfClient(state: NetworkState, payload: Payload): ClientRefusal | undefined {
  const { networkWide } = state.faults
  if (isBelow(versionOf(payload), [2, 3000, floorOf(state)]))
    return { reason: '405', location: networkWide.floor?.location || LOCATION }
  const { buildHash } = payload.devicePairingData ?? {}
  const isRight = !payload.devicePairingData || Buffer.from(buildHash ?? []).equals(hashOf(payload))
  return isRight ? undefined : { reason: '409', location: LOCATION }
}

/** Announces when the version of each linked client expires; without `ms`, withdraws the announcement. */
export function announceExpiration({ directory }: NetworkState, ms: number | undefined): void {
  const t = ms === undefined ? undefined : seconds() + Math.ceil(ms / 1000)
  for (const { devices } of directory.all())
    for (const { id, link } of devices.values())
      if (id !== 0) link?.send(bulletin(el('client_expiration', { t })))
}

function hashOf(payload: Payload): Buffer {
  return createHash('md5').update(versionOf(payload).join('.')).digest()
}

function isBelow(version: readonly number[], floor: readonly number[]): boolean {
  const at = version.findIndex((part, index) => part !== floor[index])
  return at >= 0 && (version[at] ?? 0) < (floor[at] ?? 0)
}
