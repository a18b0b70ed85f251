import { Cron } from 'croner'
import { gatewayError } from 'wamux/plugin'

const FORMAT =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)?$/i
const DAY_MS = 86_400_000

/**
 * The scheduled time, milliseconds since 1970. Throws FIELD_INVALID, with the name of the field, for a time that is
 * malformed, not in the future or too far ahead, and for an unknown time zone.
 */
export function sendTimeOf(
  sendAt: string,
  timeZone: string | undefined,
  now: number,
  maxDays: number,
): number {
  const time = read(sendAt.trim(), timeZone)
  if (time === undefined || time <= now) throw invalid('SendAt', 'is not in the future')
  if (time > now + maxDays * DAY_MS) throw invalid('SendAt', `is more than ${maxDays} days ahead`)
  return time
}

/** undefined for a past local time. */
function read(text: string, timeZone: string | undefined): number | undefined {
  const parts = FORMAT.exec(text)
  if (!parts || !isDay(parts)) throw invalid('SendAt', 'must be a time like 2030-12-24T18:00:00+01:00')
  if (parts[7]) {
    if (timeZone) throw invalid('TimeZone', 'must be absent if SendAt has an offset')
    return Date.parse(text)
  }
  if (!timeZone) throw invalid('SendAt', 'has no offset: add Z or +01:00, or set TimeZone')
  assertZone(timeZone)
  const seconds = parts[5] ? text.slice(0, 19) : `${text}:00`
  return new Cron(seconds, { timezone: timeZone }).nextRun()?.getTime()
}

/** Whether the month has that day: a Date would overflow into the next month. */
function isDay([, year, month, day]: RegExpExecArray): boolean {
  const last = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= last
}

function assertZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch (cause) {
    throw gatewayError('FIELD_INVALID', ['TimeZone', `"${timeZone}" is not a time zone like Europe/Berlin`], {
      cause,
    })
  }
}

function invalid(field: string, why: string): Error {
  return gatewayError('FIELD_INVALID', [field, why])
}
