/** Converts the seconds of a stanza to RFC 3339; '' if absent. */
export function toTime(seconds: string | undefined): string {
  return seconds ? new Date(Number(seconds) * 1000).toISOString() : ''
}
