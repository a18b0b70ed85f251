import { children } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { refusal } from '../refusal.ts'

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const MODES = ['specific_hours', 'open_24h', 'appointment_only']
const DAY_MINUTES = 1440

/**
 * The opening hours of a change; undefined if it clears them. A day has one child for each of its ranges, and none if the
 * business is closed. Throws 406 for a day or mode that does not exist, and for times that do not go with the mode.
 */
export function hoursOf(hours: Stanza): Stanza | undefined {
  const days = children(hours, 'business_hours_config')
  if (!days.every(isValid)) throw refusal(406, 'not-acceptable')
  return days.length > 0 ? hours : undefined
}

function isValid({ attrs }: Stanza): boolean {
  const { day_of_week: day = '', mode = '', open_time: open, close_time: close } = attrs
  if (!DAYS.includes(day) || !MODES.includes(mode)) return false
  if (mode !== 'specific_hours') return open === undefined && close === undefined
  return isMinute(open) && isMinute(close)
}

function isMinute(value: string | undefined): boolean {
  return value !== undefined && /^\d{1,4}$/.test(value) && Number(value) < DAY_MINUTES
}
