/** Of WhatsApp Web: 2.3000.N, where N is the revision of the common build of Meta's sites. */
export type Version = readonly [number, number, number]

/** A version, and the time at which it was the current one. */
export interface Dated {
  readonly revision: number
  /** Milliseconds since 1970. */
  readonly at: number
}

const DAY_MS = 24 * 3_600_000
/** Revisions in a day: 57,000 to 77,000 were seen, so that more than this is a mistake. */
const MOST_A_DAY = 100_000
const MEAN_A_DAY = 67_000
/** Beyond what a day brings: the last known one may have been read from a server that was behind. */
const TOLERANCE = 5_000_000
/** In the service worker, its quotes are escaped: it is JSON within a string. */
const PATTERN = /\\?"client_revision\\?":\s{0,10}(\d{1,30})/

/**
 * What Baileys was released with (Defaults/index.js); a test compares them. It lies between the revisions of 2026-07-22
 * (1043636855) and of 07-30 (1044142122).
 */
export const BUILT_IN: Dated = { revision: 1_043_857_760, at: Date.UTC(2026, 6, 26) }

export function versionOf(revision: number): Version {
  return [2, 3000, revision]
}

export function textOf(version: Version): string {
  return version.join('.')
}

/** Of a text `a.b.c`. */
export function parseVersion(text: string): Version {
  const [primary = 0, secondary = 0, revision = 0] = text.split('.').map(Number)
  return [primary, secondary, revision]
}

/** 0 for the same. */
export function compareVersions(one: Version, other: Version): number {
  const at = one.findIndex((part, index) => part !== other[index])
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0)
}

/**
 * The revision that a source names. Throws if it has none, or one that can't be: a number that is wild was not read where the
 * revision stands.
 *
 * @param known the last one that was accepted.
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

/** When a version was the current one, by the mean of revisions in a day. */
export function estimatedAt([, , revision]: Version): number {
  return BUILT_IN.at + ((revision - BUILT_IN.revision) / MEAN_A_DAY) * DAY_MS
}

export function daysSince(at: number, now: number): number {
  return Math.max(0, now - at) / DAY_MS
}
