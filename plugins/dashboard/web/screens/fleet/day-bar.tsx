import { numberOf, t } from '../../text.ts'

const WIDTH = 4
const HEIGHT = 20
const KINDS = ['none', 'up', 'part', 'down'] as const

/** The last 24 hours: a stroke for each half hour. One path for each kind, since hundreds of bars may be shown. */
export function DayBar({ day }: { day: readonly number[] }) {
  const text = textOf(day)
  return (
    <svg
      class="day"
      viewBox={`0 0 ${day.length * WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={text}
      preserveAspectRatio="none"
    >
      <title>{text}</title>
      {KINDS.map((kind) => {
        const strokes = day.map((percent, at) => (kindOf(percent) === kind ? strokeAt(at) : ''))
        return <path key={kind} class={`day-${kind}`} d={strokes.join('')} />
      })}
    </svg>
  )
}

/** What the colours mean. */
export function DayLegend() {
  return (
    <p class="day-legend muted">
      {t('fleet.day')}:
      {(['up', 'part', 'down', 'none'] as const).map((kind) => (
        <span key={kind}>
          <i class={`day-key day-key-${kind}`} /> {t(`fleet.day_${kind}`)}
        </span>
      ))}
    </p>
  )
}

function textOf(day: readonly number[]): string {
  // Of the half hours in which it should have been connected.
  const due = day.filter((percent) => percent >= 0)
  if (due.length === 0) return t('fleet.dayNone')
  const share = due.reduce((sum, percent) => sum + percent, 0) / due.length
  const percent = numberOf(share, { maximumFractionDigits: 1 })
  if (due.length === day.length) return t('fleet.dayText', { percent })
  return t('fleet.dayPart', { percent, hours: numberOf(due.length / 2) })
}

const strokeAt = (at: number): string => `M${at * WIDTH} 0h${WIDTH - 1}v${HEIGHT}h-${WIDTH - 1}z`

function kindOf(percent: number): (typeof KINDS)[number] {
  if (percent < 0) return 'none'
  if (percent >= 99) return 'up'
  return percent > 0 ? 'part' : 'down'
}
