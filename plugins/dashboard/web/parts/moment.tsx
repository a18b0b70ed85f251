import { language, timeOf } from '../text.ts'

/**
 * When something happened: the time of day, with the date unless it was today; in full as its title.
 *
 * @param isExact with seconds
 */
export function Moment({ at, isExact = false }: { at: string | number; isExact?: boolean }) {
  const time = new Date(at || Number.NaN)
  if (Number.isNaN(time.getTime())) return <span class="muted">–</span>
  return (
    <time dateTime={time.toISOString()} title={timeOf(time)}>
      {momentOf(time, isExact)}
    </time>
  )
}

export function momentOf(at: string | number | Date, isExact = false): string {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return ''
  const now = new Date()
  const isToday = time.toDateString() === now.toDateString()
  const year = time.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const)
  const date = isToday ? {} : ({ day: 'numeric', month: 'short', ...year } as const)
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const seconds = isExact ? ({ second: '2-digit' } as const) : {}
  return new Intl.DateTimeFormat(language.value, { ...date, ...clock, ...seconds }).format(time)
}
