import { Field } from '../parts/field.tsx'
import { query, setQuery } from '../shell/navigate.ts'
import { t } from '../text.ts'
import './time-range.css'

/** A time of a list, RFC 3339; without a bound where it is absent. */
interface Span {
  readonly since?: string
  readonly until?: string
}

const HOUR_MS = 3_600_000
const HOURS = { '1h': 1, '24h': 24, '7d': 7 * 24 } as const
const OWN = 'own'

type Quick = keyof typeof HOURS

const isQuick = (name: string): name is Quick => Object.hasOwn(HOURS, name)

/** The chosen range by its name: a quick one, `own`, or '' for all. */
export function chosenRange(absent: Quick | '' = ''): string {
  const name = query.value.get('range') ?? ''
  return name === OWN || isQuick(name) ? name : absent
}

/** The range of the address; the quick ones end now. */
export function spanOf(absent: Quick | '' = ''): Span {
  const range = chosenRange(absent)
  if (isQuick(range)) return { since: new Date(Date.now() - HOURS[range] * HOUR_MS).toISOString() }
  if (range !== OWN) return {}
  const at = (name: string, field: keyof Span): Span => {
    const time = new Date(query.value.get(name) ?? '')
    return Number.isNaN(time.getTime()) ? {} : { [field]: time.toISOString() }
  }
  return { ...at('since', 'since'), ...at('until', 'until') }
}

/** For `useLoad`: changes with the choice. */
export function rangeKey(): string {
  return ['range', 'since', 'until'].map((name) => query.value.get(name) ?? '').join(' ')
}

export interface TimeRangeProps {
  /** What is chosen without a choice: all (''), or a quick range. */
  absent?: Quick | ''
  /** Parameters of the address that a change clears, for example the page. */
  clears?: readonly string[]
}

/** Chooses a range in the address: quick ones, or one's own. */
export function TimeRange({ absent = '', clears = [] }: TimeRangeProps) {
  const range = chosenRange(absent)
  const cleared = Object.fromEntries(clears.map((name) => [name, '']))
  const choices = [...(absent === '' ? [''] : []), ...Object.keys(HOURS), OWN]

  function choose(name: string): void {
    const bounds =
      name === OWN ? { since: localTime(Date.now() - 24 * HOUR_MS), until: '' } : { since: '', until: '' }
    setQuery({ ...cleared, range: name === absent ? '' : name, ...bounds })
  }

  return (
    <div class="time-range">
      <Field label={t('deliveries.range')}>
        {(ties) => (
          <select {...ties} value={range} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {choices.map((name) => (
              <option key={name} value={name}>
                {t(`deliveries.range_${(name || 'all') as Quick}`)}
              </option>
            ))}
          </select>
        )}
      </Field>
      {range === OWN
        ? (['since', 'until'] as const).map((name) => (
            <Field key={name} label={t(`deliveries.range_${name}`)}>
              {(ties) => (
                <input
                  {...ties}
                  type="datetime-local"
                  value={query.value.get(name) ?? ''}
                  onChange={({ currentTarget }) => setQuery({ ...cleared, [name]: currentTarget.value })}
                />
              )}
            </Field>
          ))
        : null}
    </div>
  )
}

/** In the input's format: local time, without a zone. */
export function localTime(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
