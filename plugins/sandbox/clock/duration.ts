import { gatewayError } from 'wamux/plugin'

const DAY_MS = 86_400_000
const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  second: 1_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  d: DAY_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
}
const FORM = /^(-?\d{1,9}(?:\.\d{1,3})?) ?(s|min|h|d|(?:second|minute|hour|day|week)s?)$/i
/** Enough for whatever ends after a year. */
const MAX_DAYS = 400

/** Milliseconds of a time like `90 minutes`; `name` is the field that it is from. */
export function parseDuration(name: string, text: string): number {
  const invalid = (why: string): Error => gatewayError('FIELD_INVALID', [name, why])
  const [, number, unit = ''] = FORM.exec(text.trim()) ?? []
  const unitMs = UNITS[unit.toLowerCase()] ?? UNITS[unit.toLowerCase().replace(/s$/, '')]
  if (number === undefined || unitMs === undefined)
    throw invalid('must be a number and a unit (seconds, minutes, hours, days or weeks), for example 61 days')
  const ms = Math.round(Number(number) * unitMs)
  if (ms <= 0) throw invalid('must be more than 0: the clock is never set back')
  if (ms > MAX_DAYS * DAY_MS) throw invalid(`must be at most ${MAX_DAYS} days`)
  return ms
}
