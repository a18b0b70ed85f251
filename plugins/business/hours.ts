import { node } from 'wamux/messaging'
import { gatewayError, type LiveSession, type Static, T } from 'wamux/plugin'
import { changeProfile } from './profile.ts'

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const MODES = ['specific_hours', 'open_24h', 'appointment_only'] as const
/** Ten ranges a day: more than any app shows. */
const MAX_RANGES = 70

const minute = (description: string) => T.Optional(T.Integer({ minimum: 0, maximum: 1439, description }))

const Range = T.Object({
  DayOfWeek: T.Enum(DAYS, { aliases: ['Day'], description: 'sun, mon …' }),
  Mode: T.Enum(MODES, { description: 'specific_hours, open_24h or appointment_only' }),
  OpenTime: minute('Minutes after midnight; of specific_hours only'),
  CloseTime: minute('Minutes after midnight; before OpenTime if it closes on the next day'),
})

export const hoursBody = T.Object({
  TimeZone: T.String({
    minLength: 1,
    maxLength: 64,
    aliases: ['BusinessHoursTimeZone'],
    description: 'Of the hours, like America/Sao_Paulo',
  }),
  BusinessHours: T.Array(Range, {
    maxItems: MAX_RANGES,
    aliases: ['Hours'],
    description: 'One entry for each range; a day may have several, and a closed day has none',
  }),
})

/** Replaces the hours of the own profile. Throws FIELD_INVALID for an unknown zone, FIELD_MISSING for half a range. */
export async function setHours(
  session: LiveSession,
  timeZone: string,
  ranges: readonly Static<typeof Range>[],
): Promise<void> {
  assertZone(timeZone)
  const days = ranges.map((range, at) => node('business_hours_config', attrsOf(range, `BusinessHours.${at}`)))
  await changeProfile(session, node('business_hours', { timezone: timeZone }, days), 'set the hours')
}

function attrsOf(range: Static<typeof Range>, field: string): Record<string, string> {
  const { DayOfWeek: day, Mode: mode, OpenTime: open, CloseTime: close } = range
  if (mode !== 'specific_hours') return { day_of_week: day, mode }
  if (open === undefined) throw gatewayError('FIELD_MISSING', [`${field}.OpenTime`])
  if (close === undefined) throw gatewayError('FIELD_MISSING', [`${field}.CloseTime`])
  return { day_of_week: day, mode, open_time: String(open), close_time: String(close) }
}

function assertZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch (cause) {
    const reason = `"${timeZone}" is not a time zone like Europe/Berlin`
    throw gatewayError('FIELD_INVALID', ['TimeZone', reason], { cause })
  }
}
