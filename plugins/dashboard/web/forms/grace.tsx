import { Field } from '../parts/field.tsx'
import { t } from '../text.ts'

const CHOICES = ['0', '3600', '86400', '604800'] as const

export type Grace = (typeof CHOICES)[number]

/** How long an old token or key stays valid next to the new one, in seconds. */
export function GraceChoice({ value, onChange }: { value: Grace; onChange(value: Grace): void }) {
  return (
    <Field label={t('keys.grace')} hint={t(value === '0' ? 'keys.graceNowHint' : 'keys.graceLaterHint')}>
      {(ties) => (
        <select
          {...ties}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value as Grace)}
        >
          {CHOICES.map((choice) => (
            <option key={choice} value={choice}>
              {t(`keys.grace_${choice}`)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
