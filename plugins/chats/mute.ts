import { gatewayError } from 'wamux/plugin'

const ALWAYS = -1
const HOUR_S = 3600
const DEFAULT_S = 8 * HOUR_S
/** A larger number is not meant as seconds; phones could not display the resulting year. */
const MAX_S = 100 * 365 * 24 * HOUR_S
const WORDS = new Map<unknown, number>([
  ['8h', 8 * HOUR_S],
  ['1w', 7 * 24 * HOUR_S],
  ['always', ALWAYS],
])

export const MUTE_WORDS = [...WORDS.keys()]

/** The end of a mute: milliseconds since 1970, as phones read it (Baileys' README says a duration), or -1. */
export function muteEnd(duration: number | string | undefined, now: number): number {
  const seconds = WORDS.get(duration) ?? Number(duration ?? 0)
  if (seconds === ALWAYS) return ALWAYS
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > MAX_S)
    throw gatewayError('FIELD_INVALID', ['Duration', 'must be seconds, "8h", "1w" or "always"'])
  return now + (seconds || DEFAULT_S) * 1000
}
