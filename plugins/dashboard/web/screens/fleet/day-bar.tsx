import { numberOf, t } from '../../text.ts'

const WIDTH = 4

/** The last 24 hours: a stroke for each half hour. */
export function DayBar({ day }: { day: readonly number[] }) {
  const known = day.filter((percent) => percent >= 0)
  const share = known.length > 0 ? known.reduce((sum, percent) => sum + percent, 0) / known.length : 0
  const text = t('fleet.dayText', { percent: numberOf(share, { maximumFractionDigits: 1 }) })
  return (
    <svg
      class="day"
      viewBox={`0 0 ${day.length * WIDTH} 20`}
      role="img"
      aria-label={text}
      preserveAspectRatio="none"
    >
      <title>{text}</title>
      {day.map((percent, at) => (
        <rect
          key={at}
          class={`day-${kindOf(percent)}`}
          x={at * WIDTH}
          y="0"
          width={WIDTH - 1}
          height="20"
          rx="1"
        />
      ))}
    </svg>
  )
}

function kindOf(percent: number): string {
  if (percent < 0) return 'none'
  if (percent >= 99) return 'up'
  return percent > 0 ? 'part' : 'down'
}
