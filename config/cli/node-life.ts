/** The last day of each major version of Node.js, by https://github.com/nodejs/Release. Odd ones end after half a year. */
const LAST_DAYS: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
}

/** The major version for new installations: that of .nvmrc and of the image. */
export const RECOMMENDED_NODE = 24

/** The day after which this version got no more security fixes; undefined while it gets them. */
export function endOfLife(version: string, now: Date): string | undefined {
  const last = LAST_DAYS[Number.parseInt(version, 10)]
  return last !== undefined && now.toJSON().slice(0, 10) > last ? last : undefined
}
