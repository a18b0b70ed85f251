/** @param time RFC 3339. */
export function unixSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000)
}
