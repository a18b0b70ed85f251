/** Seconds, as stanzas carry time, in RFC 3339; '' where there are none. */
export function toTime(seconds: string | undefined): string {
  return seconds ? new Date(Number(seconds) * 1000).toISOString() : ''
}
