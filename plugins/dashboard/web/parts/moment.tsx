import { formatOf, timeOf } from '../text.ts'

type Time = string | number | Date
/** To what part of a second a time is shown. */
type Precision = 'minutes' | 'seconds' | 'milliseconds'

const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const CLOCKS = {
  minutes: CLOCK,
  seconds: { ...CLOCK, second: '2-digit' },
  milliseconds: { ...CLOCK, second: '2-digit', fractionalSecondDigits: 3 },
} as const satisfies Record<Precision, Intl.DateTimeFormatOptions>

/** When something happened: the time of day, with the date unless it was today; in full as its title. */
export function Moment({ at, to = 'minutes' }: { at: string | number; to?: Precision }) {
  const time = new Date(at || Number.NaN)
  if (Number.isNaN(time.getTime())) return <span class="muted">–</span>
  return (
    <time dateTime={time.toISOString()} title={timeOf(time)}>
      {momentOf(time, to)}
    </time>
  )
}

/** '' for what is no time. */
export function momentOf(at: Time, to: Precision = 'minutes'): string {
  const time = new Date(at)
  const now = new Date()
  const isToday = time.toDateString() === now.toDateString()
  const year = time.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const)
  const date = isToday ? {} : ({ day: 'numeric', month: 'short', ...year } as const)
  return formatOf({ ...date, ...CLOCKS[to] }, time)
}
