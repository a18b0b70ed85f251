import { seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Device, Directory } from '../directory/accounts.ts'

/** A status post with its audience. Its content is encrypted. */
export interface StatusPost {
  readonly id: string
  /** Phone numbers. */
  readonly from: string
  readonly to: readonly string[]
  /** contacts, allowlist or denylist; '' if the client named none. */
  readonly setting: string
  /** Seconds since 1970. */
  readonly time: number
}

interface Posted {
  readonly statuses: StatusPost[]
  readonly directory: Directory
}

const DAY_SECONDS = 24 * 3600

/** Drops posts older than a day, including those that still wait for a device. */
export function expireStatuses({ statuses, directory }: Posted, now = seconds()): void {
  const kept = statuses.filter(({ time }) => time > now - DAY_SECONDS)
  statuses.splice(0, statuses.length, ...kept)
  for (const { devices } of directory.all()) for (const { queue } of devices.values()) dropExpired(queue, now)
}

/** Drops posts older than a day from a device's queue. */
export function dropExpired(queue: Device['queue'], now = seconds()): void {
  const isKept = ({ attrs }: Stanza): boolean =>
    attrs['from'] !== 'status@broadcast' || Number(attrs['t']) > now - DAY_SECONDS
  for (const [key, stanzas] of queue) {
    const kept = stanzas.filter(isKept)
    if (kept.length === 0) queue.delete(key)
    else if (kept.length < stanzas.length) queue.set(key, kept)
  }
}

export function viewStatus({ id, from, to, setting, time }: StatusPost): Record<string, unknown> {
  return { Id: id, From: from, To: to, Setting: setting, Time: time }
}
