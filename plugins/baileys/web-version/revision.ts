/** Version of WhatsApp Web: 2.3000.N, where N is the revision of the common build of Meta's sites. */
export type Version = readonly [number, number, number]

/** A version, and the time at which it was the current one. */
export interface Dated {
  readonly revision: number
  /** Milliseconds since 1970. */
  readonly at: number
}

const DAY_MS = 24 * 3_600_000
/** Revisions per day: 57,000 to 77,000 were observed, so anything above this is a mistake. */
const MOST_A_DAY = 100_000
const MEAN_A_DAY = 67_000
/** Allowance on top: the last known revision may come from a server that was behind. */
const TOLERANCE = 5_000_000
/** In the service worker its quotes are escaped: it is JSON inside a string. */
const PATTERN = /\\?"client_revision\\?":\s{0,10}(\d{1,30})/

/**
 * The version built into the required Baileys (Defaults/index.js); a test compares them. It lies between the revisions of
 * 2026-07-22 (1043636855) and 07-30 (1044142122).
 */
export const BUILT_IN: Dated = { revision: 1_043_857_760, at: Date.UTC(2026, 6, 26) }

export function versionOf(revision: number): Version {
  return [2, 3000, revision]
}

export function textOf(version: Version): string {
  return version.join('.')
}

/** Parses `a.b.c`. */
export function parseVersion(text: string): Version {
  const [primary = 0, secondary = 0, revision = 0] = text.split('.').map(Number)
  return [primary, secondary, revision]
}

/** Negative if `one` is older, 0 if equal. */
export function compareVersions(one: Version, other: Version): number {
  const at = one.findIndex((part, index) => part !== other[index])
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0)
}

/**
 * The revision named by a source. Throws if there is none, or if it is implausible: such a number was not read from the
 * right place.
 *
 * @param known the last accepted revision.
 */
export function readRevision(text: string, known: Dated, now: number): number {
  const digits = PATTERN.exec(text)?.[1]
  if (digits === undefined) throw new Error('it has no client_revision')
  if (digits.length < 9 || digits.length > 11) throw new Error(`its client_revision is ${digits}`)
  const revision = Number(digits)
  if (revision < BUILT_IN.revision)
    throw new Error(`its client_revision ${digits} is older than the built-in ${BUILT_IN.revision}`)
  const days = Math.max(0, now - known.at) / DAY_MS
  if (revision > known.revision + MOST_A_DAY * days + TOLERANCE)
    throw new Error(`its client_revision ${digits} is too far above the last one, ${known.revision}`)
  return revision
}

/** When a version was the current one, estimated by the mean number of revisions per day. */
export function estimatedAt([, , revision]: Version): number {
  return BUILT_IN.at + ((revision - BUILT_IN.revision) / MEAN_A_DAY) * DAY_MS
}

export function daysSince(at: number, now: number): number {
  return Math.max(0, now - at) / DAY_MS
}
