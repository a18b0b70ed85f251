import { t, timeOf } from '../../text.ts'

const DAY_MS = 86_400_000
const CHOICES = ['30', '90', '365', 'never', 'date'] as const

/** A number of days, never, or a day of the calendar. */
export interface Expiry {
  readonly choice: (typeof CHOICES)[number]
  /** `2026-12-24`, for the choice `date`. */
  readonly date: string
}

/** The end of the key in milliseconds; undefined for never, NaN while no day is chosen. */
export function endOf({ choice, date }: Expiry, now = Date.now()): number | undefined {
  if (choice === 'never') return undefined
  // Until the end of that day, here.
  if (choice === 'date') return new Date(`${date}T23:59:59`).getTime()
  return now + Number(choice) * DAY_MS
}

export interface ExpiryChoiceProps {
  value: Expiry
  error: string
  onChange(value: Expiry): void
}

export function ExpiryChoice({ value, error, onChange }: ExpiryChoiceProps) {
  const end = endOf(value)
  return (
    <fieldset class="stack-tight">
      <legend class="label">{t('keys.expires')}</legend>
      <div class="expiry">
        {CHOICES.map((choice) => (
          <label key={choice}>
            <input
              type="radio"
              name="key-expiry"
              checked={value.choice === choice}
              onChange={() => onChange({ ...value, choice })}
            />{' '}
            {t(`keys.expiry_${choice}`)}
          </label>
        ))}
      </div>
      {value.choice === 'date' ? (
        <input
          type="date"
          aria-label={t('keys.expiry_date')}
          aria-describedby="key-expiry-error"
          aria-invalid={error ? 'true' : undefined}
          min={isoDay(Date.now())}
          value={value.date}
          onInput={({ currentTarget }) => onChange({ ...value, date: currentTarget.value })}
        />
      ) : null}
      <p class="hint">{end === undefined || Number.isNaN(end) ? '' : t('keys.until', { at: timeOf(end) })}</p>
      <p class="hint hint-bad" id="key-expiry-error" role="alert">
        {error}
      </p>
    </fieldset>
  )
}

function isoDay(ms: number): string {
  const day = new Date(ms)
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}
