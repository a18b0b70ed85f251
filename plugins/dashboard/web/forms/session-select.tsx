import { Field } from '../parts/field.tsx'
import type { SessionName } from '../parts/sessions.ts'
import { t } from '../text.ts'
import { Combobox, type Option } from './combobox.tsx'
import { fitting } from './fitting.ts'

export interface SessionSelectProps {
  label: string
  sessions: readonly SessionName[]
  value: string
  onSelect(id: string): void
  /** Label for no choice; when absent, a choice is required. */
  all?: string
}

/** One session, found by its name or number: there may be thousands. */
export function SessionSelect({ label, sessions, value, onSelect, all }: SessionSelectProps) {
  const options = [
    ...(all === undefined ? [] : [{ value: '', title: all, detail: '' }]),
    ...sessions.map(toOption),
  ]
  const chosen = options.find((option) => option.value === value)
  return (
    <Field label={label}>
      {(ties) => (
        <Combobox
          ties={ties}
          label={label}
          placeholder={t('deliveries.chooseSession')}
          shown={chosen?.title ?? value}
          find={(text) => {
            const fits = fitting(text)
            return options.filter(({ title, detail }) => fits([title], [detail]))
          }}
          onPick={(option) => onSelect(option.value)}
        />
      )}
    </Field>
  )
}

const toOption = ({ id, name, number = '' }: SessionName): Option => ({
  value: id,
  title: name || id,
  detail: number,
})
