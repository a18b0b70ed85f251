import { numberOf, t } from '../../text.ts'

const WIDTH = 4
const HEIGHT = 20
const KINDS = ['none', 'up', 'part', 'down'] as const

/** The last 24 hours: a stroke for each half hour. One path for each kind, since hundreds of bars may be shown. */
export function DayBar({ day }: { day: readonly number[] }) {
  const known = day.filter((percent) => percent >= 0)
  const share = known.length > 0 ? known.reduce((sum, percent) => sum + percent, 0) / known.length : 0
  const text = t('fleet.dayText', { percent: numberOf(share, { maximumFractionDigits: 1 }) })
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

const strokeAt = (at: number): string => `M${at * WIDTH} 0h${WIDTH - 1}v${HEIGHT}h-${WIDTH - 1}z`

function kindOf(percent: number): (typeof KINDS)[number] {
  if (percent < 0) return 'none'
  if (percent >= 99) return 'up'
  return percent > 0 ? 'part' : 'down'
}
