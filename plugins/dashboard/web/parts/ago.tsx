import { signal } from '@preact/signals'
import { language, t, timeOf } from '../text.ts'

/** Every few seconds, for all of them at once. */
const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, 5_000)

const STEPS: readonly [limitMs: number, unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  [60_000, 'second', 1_000],
  [3_600_000, 'minute', 60_000],
  [86_400_000, 'hour', 3_600_000],
  [Number.POSITIVE_INFINITY, 'day', 86_400_000],
]

/** How long ago, or in how long, a time is; the time itself as its title. '' shows as never. */
export function Ago({ at }: { at: string | number }) {
  const time = new Date(at || Number.NaN)
  if (Number.isNaN(time.getTime())) return <span class="muted">{t('shell.never')}</span>
  return (
    <time dateTime={time.toISOString()} title={timeOf(time)}>
      {agoOf(time.getTime() - now.value)}
    </time>
  )
}

/** @param ms negative for the past */
export function agoOf(ms: number): string {
  const size = Math.abs(ms)
  if (size < 5_000) return t('shell.justNow')
  const [, unit, step] = STEPS.find(([limit]) => size < limit) ?? ['', 'day', 86_400_000]
  return new Intl.RelativeTimeFormat(language.value, { numeric: 'auto', style: 'short' }).format(
    Math.trunc(ms / step),
    unit as Intl.RelativeTimeFormatUnit,
  )
}
